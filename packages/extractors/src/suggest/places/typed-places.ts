import { cutsFor } from '../values/cut.ts';
import type { TreeElement } from '../page/dom.ts';
import { elementsOf, type PageModel } from '../page/page-model.ts';
import { attributePlace, regionWeight, targetsOf, textPlace, type Place } from './place.ts';
import { isSame, readAs, typeIn, typesFor, type WantedValue, type ValueType } from '../values/wanted.ts';

/** Texts that a type converts to the example: `1.299,00 €` for 1299. */
export function typedPlaces(model: PageModel, wanted: WantedValue): Place[] {
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
