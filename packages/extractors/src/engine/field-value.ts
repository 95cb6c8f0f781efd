import { shortenText, toStorableValue } from '@gleaner/contracts/text';
import {
  attributeInAnyCase,
  attributeOf,
  innerBaseOf,
  innerHtmlOf,
  outerHtmlOf,
  readNumberTextOf,
  readOwnTextOf,
  readTextOf,
  resolveUrl,
  textOf,
  type TreeElement,
} from '@gleaner/html';
import type { Json } from '../json/jsonpath.ts';
import { requireWithin, spend } from '../limits.ts';
import type { Raw, Scalar } from '../transform/step.ts';
import { readTable } from '../values/table.ts';
import type { Reading } from '../values/reading.ts';
import { htmlTextToMarkdown, readHtmlText } from '../content/from-text.ts';
import { markdownOf } from '../content/markdown.ts';
import { isPicture, pictureAddressOf } from '../pictures/picture.ts';
import { baseOf, countValue, type PageState } from './page-state.ts';
import type { SourceTrace } from '../extraction.ts';
import type { CompiledField, CompiledSource, Match } from './types.ts';

/** Attributes that hold an element's address. `type: "url"` reads them when the field names no attribute. */
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  base: 'href',
  img: 'src',
  script: 'src',
  iframe: 'src',
  video: 'src',
  audio: 'src',
  source: 'src',
  embed: 'src',
  form: 'action',
  object: 'data',
  meta: 'content',
};

type ReadElement = (state: PageState, element: TreeElement) => string;

const readText: ReadElement = ({ document }, element) => readTextOf(document, element);

const ASPECTS: Readonly<Record<Extract<CompiledSource['aspect'], string>, ReadElement>> = {
  text: readText,
  element: readText,
  number_text: ({ document }, element) => readNumberTextOf(document, element),
  raw_text: ({ document }, element) => textOf(document, element),
  own_text: ({ document }, element) => readOwnTextOf(document, element),
  markdown: (state, element) => markdownOf(state.document, [element], baseOf(state)),
  html: ({ document }, element) => outerHtmlOf(document, element),
  inner_html: ({ document }, element) => innerHtmlOf(document, element),
  url: ({ document }, element) => {
    const picture = isPicture(element) ? pictureAddressOf(document, element) : undefined;
    if (picture !== undefined) return picture;
    const attribute = URL_ATTRIBUTES[element.localName];
    const address = attribute === undefined ? undefined : attributeOf(element, attribute);
    return address ?? readTextOf(document, element);
  },
};

function aspectOf(state: PageState, element: TreeElement, aspect: CompiledSource['aspect']): string | null {
  return typeof aspect === 'string'
    ? ASPECTS[aspect](state, element)
    : (attributeInAnyCase(element, aspect.attribute) ?? null);
}

function scalarsIn(value: Json): Raw[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  if (value === null) return [];
  if (typeof value !== 'object') return [value];
  // An object has no plain text, so it stays as JSON text.
  spend(sizeOf(value));
  return [JSON.stringify(value)];
}

function foundIn(state: PageState, source: CompiledSource, match: Match): Raw[] {
  if (match.kind === 'element') {
    const raw = aspectOf(state, match.element, source.aspect);
    if (raw === null) return [];
    spend(raw.length);
    return [raw];
  }
  return match.kind === 'text' ? [match.value] : scalarsIn(match.value);
}

/** Whether the raw value may contain HTML that must still be parsed. Embedded data often does. */
function mayBeMarkup({ aspect }: CompiledSource, match: Match): boolean {
  if (match.kind !== 'element') return match.kind === 'json' || match.isPlain !== true;
  return aspect === 'html' || aspect === 'inner_html' || typeof aspect === 'object';
}

/** Addresses of XML below an `xml:base` of their own; others are resolved with those of the page. */
function withInnerBase({ page, document }: PageState, element: TreeElement, found: Raw[]): Raw[] {
  const base = innerBaseOf(element, page.finalUrl ?? page.url);
  if (base === undefined) return found;
  return found.map((raw) =>
    typeof raw === 'string' && raw.trim() !== '' ? (resolveUrl(raw, base, document.encoding) ?? raw) : raw,
  );
}

function rawsOf(state: PageState, { type }: CompiledField, source: CompiledSource, match: Match): Raw[] {
  const found = foundIn(state, source, match);
  // The first step trims.
  if (type === 'url' && source.steps.length <= 1) {
    const element =
      match.kind === 'element' ? match.element : match.kind === 'text' ? match.owner : undefined;
    return element === undefined ? found : withInnerBase(state, element, found);
  }
  if ((type !== 'text' && type !== 'markdown') || !mayBeMarkup(source, match)) return found;
  return found.map((raw) => {
    if (typeof raw !== 'string') return raw;
    spend(raw.length);
    return type === 'text' ? readHtmlText(raw) : htmlTextToMarkdown(raw, baseOf(state));
  });
}

/** About the characters of the value's JSON text. Stops counting at the limit. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else for (const key of Object.keys(value)) size += key.length + 3 + sizeOf(value[key] ?? null);
  requireWithin(0, size);
  return size;
}

function readOne(state: PageState, field: CompiledField, source: CompiledSource, raw: Scalar): Reading<Json> {
  const reading = source.read(raw, state);
  if (reading.state !== 'value') return reading;
  countValue(state, sizeOf(reading.value));
  const reason = field.assert.checkValue?.(reading.value);
  return reason === undefined ? reading : { state: 'invalid', reason };
}

function keepSample(value: Raw | Raw[]): Json {
  const first = Array.isArray(value) ? value.slice(0, 3) : value;
  const cut = (item: Raw): Json => (typeof item === 'string' ? shortenText(item, 199) : item);
  return Array.isArray(first) ? first.map(cut) : cut(first);
}

/** Values that are not text: JSON, which stays unchanged, and tables. */
function wholeValues(
  state: PageState,
  field: CompiledField,
  matches: readonly Match[],
): Reading<Json>[] | undefined {
  if (field.type === 'table') {
    return matches.map((match) =>
      match.kind === 'element' ? readTable(state.document, match.element) : { state: 'absent' },
    );
  }
  if (field.type === 'json' && matches.some(({ kind }) => kind === 'json')) {
    return matches.map((match) =>
      match.kind === 'json' && match.value !== null
        ? { state: 'value', value: toStorableValue(match.value) }
        : { state: 'absent' },
    );
  }
  return undefined;
}

function combine(field: CompiledField, readings: readonly Reading<Json>[]): Reading<Json> {
  if (field.shape === 'one') return readings[0] ?? { state: 'absent' };
  const values: Json[] = [];
  for (const reading of readings) {
    if (reading.state === 'value') values.push(reading.value);
    // With `on_fail: null`, an invalid item is left out: lists never hold nulls.
    else if (reading.state === 'invalid' && field.assert.onFail !== 'null') return reading;
  }
  if (values.length > 0) return { state: 'value', value: values };
  return readings.find((one) => one.state === 'absent' && one.reason !== undefined) ?? { state: 'absent' };
}

/** Reads the matches of one source: raw texts, then transform steps, type, and assertions on single values. */
export function readMatches(
  state: PageState,
  field: CompiledField,
  source: CompiledSource,
  matches: readonly Match[],
  trace: SourceTrace | undefined,
): Reading<Json> {
  const whole = source.steps.length <= 1 ? wholeValues(state, field, matches) : undefined;
  if (whole !== undefined) {
    for (const reading of whole) if (reading.state === 'value') countValue(state, sizeOf(reading.value));
    return combine(field, whole);
  }
  const raws = matches.flatMap((match) => rawsOf(state, field, source, match));
  if (trace !== undefined) trace.raw = raws.slice(0, 3).map(keepSample);
  let value: Raw | Raw[] = field.take === 'all' ? raws : (raws[0] ?? null);
  for (const step of source.steps) {
    value = step.run(value);
    if (trace !== undefined) trace.steps.push({ step: step.source, value: keepSample(value) });
  }
  const items = Array.isArray(value) ? value : [value];
  const readings = items.map((item): Reading<Json> =>
    item === null ? { state: 'absent' } : readOne(state, field, source, item),
  );
  if (trace !== undefined) {
    const [note] = readings.flatMap((reading) =>
      reading.state === 'invalid' ? [] : ((reading.state === 'value' ? reading.note : reading.reason) ?? []),
    );
    if (note !== undefined) trace.note = note;
  }
  return combine(field, readings);
}
