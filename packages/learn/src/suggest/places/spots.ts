import type { Words } from '../page/names.ts';
import { cutsFor } from '../values/cut.ts';
import { type TreeElement, resolveUrl, readTextOf } from '@gleaner/html';
import { elementsOf, type PageModel, type TextSpot } from '../page/page-model.ts';
import {
  attributePlace,
  regionWeight,
  targetsOf,
  textPlace,
  type Place,
  type ExampleTarget,
} from './place.ts';
import {
  isSame,
  readAs,
  typeIn,
  typesFor,
  type WantedValue,
  type ValueType,
  urlTail,
} from '../values/wanted.ts';
import { ancestorsOf } from '../page/dom.ts';
import { baseOf } from '@gleaner/extractors/parts';
import { labelness } from './labelness.ts';
import { fold, squash } from '../page/text.ts';

const FORMATTING = new Set(['b', 'strong', 'i', 'em', 'font', 'u', 'big', 'small', 'span']);

function innerness(inner: TreeElement, outer: TreeElement): number {
  if (inner === outer) return 1;
  return FORMATTING.has(inner.localName) ? 0.99 : 0.94;
}

function nearLabel(model: PageModel, { index }: TextSpot, field: Words): number {
  let best = 0;
  for (let back = 1; back <= 3; back += 1) {
    const before = model.texts[index - back];
    if (before !== undefined)
      best = Math.max(best, labelness(model, before, field, undefined) * 0.9 ** (back - 1));
  }
  return best;
}

function rankSpots(model: PageModel, spots: readonly TextSpot[], field: Words, limit: number): TextSpot[] {
  if (spots.length <= limit) return [...spots];
  const scored = spots
    .slice(0, 200)
    .map((spot) => ({ spot, score: nearLabel(model, spot, field) * regionWeight(spot.parent) }));
  scored.sort((a, b) => b.score - a.score || a.spot.index - b.spot.index);
  const chosen = new Set([...spots.slice(0, 2), ...scored.slice(0, limit - 1).map(({ spot }) => spot)]);
  return [...chosen];
}

const MAX_EXACT = 7;
const MAX_PARTIAL = 5;
const MAX_SPANS = 4;

function textPlaces(model: PageModel, wanted: string, field: Words): Place[] {
  const places: Place[] = [];
  const exact = model.byText.get(wanted) ?? [];
  for (const spot of rankSpots(model, exact, field, MAX_EXACT)) {
    const weight = regionWeight(spot.parent) * (exact.length > 3 ? 0.9 : 1);
    for (const target of targetsOf(model, spot)) {
      // On other pages, the enclosing element may contain more, like a cell with several links.
      const level = innerness(spot.parent, target.element);
      places.push(textPlace(target, { raw: spot.node.data, weight: weight * level }));
    }
  }
  places.push(...spanPlaces(model, wanted));
  const partial = model.texts.filter(
    ({ text }) => text.length > wanted.length && text.length < wanted.length + 400 && text.includes(wanted),
  );
  partial.sort((a, b) => a.text.length - b.text.length || a.index - b.index);
  const isShort = wanted.length <= 2;
  for (const spot of partial.slice(0, isShort ? 3 : MAX_PARTIAL)) {
    const cuts = cutsFor(spot.node.data, wanted);
    if (cuts.length === 0) continue;
    const share = wanted.length / spot.text.length;
    const weight =
      regionWeight(spot.parent) * (0.55 + 0.4 * share) * (isShort ? 0.5 : 1) * (exact.length > 0 ? 0.75 : 1);
    for (const target of targetsOf(model, spot)) {
      places.push(textPlace(target, { raw: spot.node.data, cuts, weight }));
    }
  }
  if (places.length === 0) places.push(...partOfElement(model, wanted));
  return places;
}

/** Elements that contain the value in several texts. */
function spanPlaces(model: PageModel, wanted: string): Place[] {
  const places: Place[] = [];
  const squashed = squash(wanted);
  let found = 0;
  for (const spot of model.texts) {
    if (spot.text === '' || spot.text.length >= wanted.length || !squashed.startsWith(squash(spot.text)))
      continue;
    for (const element of [spot.parent, ...ancestorsOf(spot.parent, 5)]) {
      const raw = readTextOf(model.document, element);
      if (raw.length > 4 * wanted.length + 400) break;
      if (squash(raw) !== squashed) continue;
      const isPlain = fold(raw) === wanted;
      const reading = isPlain ? ({ kind: 'text' } as const) : ({ kind: 'spaced' } as const);
      const target: ExampleTarget = { element, reading, spot, isOneText: false };
      places.push(textPlace(target, { raw, weight: regionWeight(element) * 0.98 }));
      found += 1;
    }
    if (found >= MAX_SPANS) break;
  }
  return places;
}

/** A value that spans texts but not a whole element: a part of the smallest element that contains it. */
function partOfElement(model: PageModel, wanted: string): Place[] {
  const { elements } = model.document;
  const firstTexts = new Map(model.texts.toReversed().map((spot) => [spot.parent, spot]));
  for (const element of elementsOf(model).toReversed()) {
    if (element.last === null) continue;
    const { localName } = element;
    if (localName === 'script' || localName === 'style') continue;
    if (element.lastOrder - element.order > 60) continue;
    const raw = readTextOf(model.document, element);
    if (raw.length < wanted.length || raw.length > wanted.length + 1_500) continue;
    const cuts = cutsFor(raw, wanted);
    if (cuts.length === 0) continue;
    const [spot] = elements
      .slice(element.order, element.lastOrder + 1)
      .flatMap((inner) => firstTexts.get(inner) ?? [])
      .toSorted((a, b) => a.index - b.index);
    if (spot === undefined) continue;
    const target: ExampleTarget = { element, reading: { kind: 'text' }, spot, isOneText: false };
    return [textPlace(target, { raw, cuts, weight: 0.6 })];
  }
  return [];
}

const ATTRIBUTES = new Set(
  'href src alt title value content datetime placeholder label summary action poster srcset cite'.split(' '),
);

function attributePlaces(model: PageModel, wanted: string): Place[] {
  const places: Place[] = [];
  const base = baseOf(model.state);
  const isUrl = /^(?:https?:\/\/|\/)\S+$/.test(wanted);
  const tail = urlTail(wanted);
  for (const element of elementsOf(model)) {
    if (element.localName === 'meta') continue;
    for (const { name, value } of element.attributes) {
      if (value.length < 1 || value.length > 3_000) continue;
      if (!ATTRIBUTES.has(name) && !name.startsWith('data-') && !name.startsWith('aria-')) continue;
      const isLink = name === 'href' || name === 'src';
      const weight = regionWeight(element);
      if (value === wanted || fold(value) === wanted) {
        places.push(attributePlace(element, name, { raw: value, weight: weight * (isUrl ? 0.95 : 0.72) }));
      } else if (isUrl && isLink && value.endsWith(tail) && resolveUrl(value, base) === wanted) {
        places.push(attributePlace(element, name, { raw: value, type: 'url', weight: weight * 0.95 }));
      } else if (wanted.length >= 4 && places.length < 8 && value.length < 300 && value.includes(wanted)) {
        const cuts = cutsFor(value, wanted);
        if (cuts.length > 0) places.push(attributePlace(element, name, { raw: value, cuts, weight: 0.35 }));
      }
      if (places.length > 40) break;
    }
  }
  return places.toSorted((a, b) => b.weight - a.weight).slice(0, 8);
}

/** Texts that a type converts to the example: `1.299,00 €` for 1299. */
function typedPlaces(model: PageModel, wanted: WantedValue): Place[] {
  const places: Place[] = [];
  for (const type of typesFor(wanted)) {
    const foundIn = (element: TreeElement, raw: string): { raw: string; weight: number; type: ValueType } => {
      const isBare = raw.replaceAll(/[\d\s.,'’$€£¥%+-]/g, '').length <= 4;
      const weight = regionWeight(element) * (isBare ? 1 : 0.6) * (raw.length > 60 ? 0.6 : 1);
      return { raw, weight, type: typeIn(type, raw) };
    };
    for (const spot of model.texts) {
      if (spot.text.length > 120 || (typeof wanted !== 'boolean' && !/\p{N}/u.test(spot.text))) continue;
      if (!isSame(readAs(type, spot.text, model), wanted)) continue;
      for (const target of targetsOf(model, spot))
        places.push(textPlace(target, foundIn(target.element, spot.node.data)));
      if (places.length > 24) break;
    }
    if (places.length === 0) places.push(...typedParts(model, wanted, type));
    for (const element of elementsOf(model)) {
      for (const { name, value } of element.attributes) {
        const isData =
          name === 'content' || name === 'datetime' || name === 'value' || name.startsWith('data-');
        if (!isData || value.length > 40 || element.localName === 'meta') continue;
        if (!isSame(readAs(type, value, model), wanted)) continue;
        const found = foundIn(element, value);
        places.push(attributePlace(element, name, { ...found, weight: 0.7 * found.weight }));
      }
      if (places.length > 40) break;
    }
    if (places.length > 0) break;
  }
  return places.toSorted((a, b) => b.weight - a.weight).slice(0, 14);
}

/** A later number in a text: `4.5 out of 5 (1,234 ratings)`. */
function typedParts(model: PageModel, wanted: WantedValue, type: ValueType): Place[] {
  if (typeof wanted !== 'number') return [];
  const places: Place[] = [];
  for (const spot of model.texts) {
    if (spot.text.length > 200) continue;
    for (const [token] of spot.text.matchAll(/[-−]?\d[\d.,' ]*\d|\d/g)) {
      if (!isSame(readAs(type, token, model), wanted)) continue;
      const cuts = cutsFor(spot.node.data, token.trim());
      for (const target of targetsOf(model, spot)) {
        const weight = 0.6 * regionWeight(spot.parent);
        places.push(textPlace(target, { raw: spot.node.data, cuts, type: typeIn(type, spot.text), weight }));
      }
      break;
    }
    if (places.length > 12) break;
  }
  return places;
}

/** The occurrences of the example on the page, best first. */
export function placesOf(model: PageModel, wanted: WantedValue, field: Words): Place[] {
  if (typeof wanted !== 'string') return typedPlaces(model, wanted);
  const text = fold(wanted);
  if (text === '') return [];
  const places = [...textPlaces(model, text, field), ...attributePlaces(model, text)];
  return places.length > 0 ? places : typedPlaces(model, wanted);
}
