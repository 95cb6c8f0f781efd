import type { IDomFacade } from 'fontoxpath';
import { matchesUrlPattern } from '@gleaner/contracts/parser-schema';
import { formatFieldPath } from '@gleaner/contracts/text';
import { type PageDocument, attributeOf, baseUrlOf, elementsByTag } from '@gleaner/html';
import type { ExtractionFailure, FailedField, FieldReport, FieldTrace } from '../extraction.ts';
import { readLanguage, type FactsOf } from '../content/facts-of.ts';
import { jsonForms } from '../json/json-forms.ts';
import { readJsonLd } from '../json/json-ld.ts';
import { readMicrodata } from '../json/microdata.ts';
import type { Json } from '../json/jsonpath.ts';
import { readPageJson } from '../json/page-json.ts';
import { parseJsonText } from '../json/loose-value.ts';
import { readScriptData, type ScriptData, type ScriptFinder } from '../json/script-data.ts';
import { requireWithin, RESULT_LIMITS } from '../limits.ts';
import type { Page } from '../page.ts';
import { createColumn, type Column } from '../values/column.ts';
import { createXPathFacade } from '../xpath/facade.ts';

/** The state of one extraction: the page, data that is read from it once, and the fields' reports. */
export interface PageState {
  readonly page: Page;
  readonly document: PageDocument;
  readonly reports: FieldReport[];
  readonly failures: FailedField[];
  failureCount: number;
  /** Values that count from the time of the fetch, with the length of their unit in seconds. See Extraction. */
  readonly relative: [path: string, unitSeconds: number][];
  /** Whether a source other than constants and facts matched. */
  hasMatched: boolean;
  /** Index of the current field's report. */
  current: number;
  /** Names and row numbers down to the current field: `['items', 3]`. */
  readonly trail: (string | number)[];
  readonly traces: FieldTrace[] | undefined;
  values: number;
  textLength: number;
  /** What was read of the page, by what it was read with. */
  readonly memo: Map<object, unknown>;
  /** See ExtractOptions. */
  readonly rowsAt: string | undefined;
  /** By the index of their field: how its numbers are written. */
  readonly columns: Map<number, Column>;
}

/** What one read of the fields fills: the reports of the paths, and the counts. */
export function startReports(
  paths: readonly string[],
  explain: boolean,
): Pick<
  PageState,
  | 'reports'
  | 'failures'
  | 'failureCount'
  | 'relative'
  | 'hasMatched'
  | 'current'
  | 'trail'
  | 'traces'
  | 'values'
  | 'textLength'
> {
  return {
    reports: paths.map((path) => ({ path, matched: false, value_count: 0, selector: null })),
    failures: [],
    failureCount: 0,
    relative: [],
    hasMatched: false,
    current: 0,
    trail: [],
    traces: explain ? [] : undefined,
    values: 0,
    textLength: 0,
  };
}

export function createPageState(
  page: Page,
  document: PageDocument,
  paths: readonly string[],
  { explain, rowsAt }: { explain: boolean; rowsAt?: string | undefined },
): PageState {
  return {
    ...startReports(paths, explain),
    page,
    document,
    memo: new Map(),
    rowsAt,
    columns: new Map(),
  };
}

/** Reads something of the page once. */
function once<T>({ memo }: PageState, key: object, read: () => T): T {
  const known = memo.get(key);
  if (known !== undefined || memo.has(key)) return known as T;
  const made = read();
  memo.set(key, made);
  return made;
}

export function facadeOf(state: PageState): IDomFacade {
  return once(state, createXPathFacade, createXPathFacade);
}

export function jsonLdOf(state: PageState): Json[] {
  return once(state, readJsonLd, () => readJsonLd(state.document));
}

export function microdataOf(state: PageState): Json[] {
  return once(state, readMicrodata, () => readMicrodata(state.document));
}

/** The value of a page that is JSON. */
export function pageJsonOf(state: PageState): Json | undefined {
  return once(state, readPageJson, () => readPageJson(state.page));
}

export function baseOf(state: PageState): string | undefined {
  return once(state, baseUrlOf, () => baseUrlOf(state.document, state.page.finalUrl ?? state.page.url));
}

/** The language that the page says it is written in. */
export function languageOf(state: PageState): string | undefined {
  return once(state, readLanguage, () => readLanguage(state.document));
}

/** The responses with an address that matches the pattern, in order of arrival; undefined for one that is not JSON. */
export function capturedJson(state: PageState, pattern: string): (Json | undefined)[] {
  return (state.page.captures ?? [])
    .filter(({ url }) => matchesUrlPattern(pattern, url))
    .map((capture) => once(state, capture, () => parseJsonText(capture.json.replace(/^\uFEFF/, '').trim())));
}

/** The forms of a value in which paths are tried; each is made when it is first needed. */
export function* formsOf(state: PageState, value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) {
    yield* jsonForms(value);
    return;
  }
  const known = once(state, value, () => ({ made: [] as Json[], rest: jsonForms(value) }));
  for (let index = 0; ; index += 1) {
    const form = known.made[index];
    if (form !== undefined) {
      yield form;
      continue;
    }
    const next = known.rest.next();
    if (next.done === true) return;
    known.made.push(next.value);
    yield next.value;
  }
}

/** The numbers of the current field, in all rows of the page. */
export function columnOf({ columns, current }: PageState): Column {
  const known = columns.get(current) ?? createColumn();
  columns.set(current, known);
  return known;
}

export function scriptDataOf(state: PageState, finder: ScriptFinder): ScriptData {
  return once(state, finder, () => readScriptData(finder, state.document));
}

const META_NAMES = ['property', 'name', 'itemprop', 'http-equiv'] as const;
/** The most values kept per name. */
const META_CONTENTS = 1_000;

function readMeta(document: PageDocument): Map<string, string[]> {
  const meta = new Map<string, string[]>();
  for (const element of elementsByTag(document, 'meta')) {
    const content = attributeOf(element, 'content');
    if (content === undefined) continue;
    let first: string | undefined;
    for (const attribute of META_NAMES) {
      const name = attributeOf(element, attribute)?.trim().toLowerCase();
      // `<meta name="x" property="x">` is one tag with one name.
      if (name === undefined || name === first) continue;
      first ??= name;
      const known = meta.get(name);
      if (known === undefined) meta.set(name, [content]);
      else if (known.length < META_CONTENTS) known.push(content);
    }
  }
  return meta;
}

/** Contents of the page's meta tags with this name. */
export function metaOf(state: PageState, name: string): string[] {
  return once(state, readMeta, () => readMeta(state.document)).get(name.toLowerCase()) ?? [];
}

/** What the facts of the page are read from. */
export function factsOf(state: PageState): FactsOf {
  return {
    page: state.page,
    document: state.document,
    base: baseOf(state),
    language: () => languageOf(state),
    entities: () => [...jsonLdOf(state), ...microdataOf(state)],
    meta: (name) => metaOf(state, name),
  };
}

export function countValue(state: PageState, textLength: number): void {
  state.values += 1;
  state.textLength += textLength;
  requireWithin(state.values, state.textLength);
}

export function addFailure(state: PageState, name: string, selector: string | null, reason: string): void {
  state.failureCount += 1;
  if (state.failures.length < RESULT_LIMITS.failures) {
    state.failures.push({ path: formatFieldPath([...state.trail, name]), selector, reason });
  }
}

export function failureOf(fields: FailedField[], count: number): ExtractionFailure {
  const listed = fields.map(
    ({ path, selector, reason }) => `${path}${selector === null ? '' : ` (${selector})`}: ${reason}`,
  );
  const more = count - fields.length;
  return {
    code: 'extraction_failed',
    detail: `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
    fields,
  };
}
