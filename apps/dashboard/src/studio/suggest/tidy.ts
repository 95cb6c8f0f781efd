import { longForm } from '@gleaner/contracts/values';
import type { Field, Fields, FieldObject, ParserSchema } from '@gleaner/contracts';
import { createExtractor } from '../extraction/extractor.ts';
import type { KeptPage, Suggested } from '../extraction/protocol.ts';
import { shortForm } from '../schema/draft.ts';
import { isCodeName, isNumberText } from '../schema/numbers.ts';

/** A schema with more fallbacks is hard to read. */
const MAX_SOURCES = 3;
type Source = Exclude<FieldObject['any'], undefined>[number];

/** Whether a source depends on positions instead of names. */
function isPlace({ css, xpath }: FieldObject): boolean {
  return xpath !== undefined || (typeof css === 'string' && (/[+~]|:nth-/.test(css) || !/[.#[]/.test(css)));
}

function isCollapse(transform: unknown): boolean {
  return JSON.stringify(transform) === '["collapse"]';
}

/** A source as the form writes it: the attribute in the selector, and no step that text needs anyway. */
function plainSource(source: Source | FieldObject): FieldObject {
  if (typeof source === 'string') return { css: source };
  const { css, attr, transform, ...rest } = source;
  return {
    ...(css === undefined ? {} : { css: typeof css === 'string' && attr ? `${css}@${attr}` : css }),
    ...(transform === undefined || isCollapse(transform) ? {} : { transform }),
    ...(typeof css === 'string' || attr === undefined ? {} : { attr }),
    ...rest,
  };
}

/** The first source, and others that don't depend on positions. */
function withFewSources(field: FieldObject): FieldObject {
  const { any, css, ...rest } = plainSource(field);
  const all = any?.map(plainSource) ?? [css ?? []].flat().map((one): FieldObject => ({ css: one }));
  const sources = all.filter((source, index) => index === 0 || !isPlace(source)).slice(0, MAX_SOURCES);
  if (sources.length < 2) return { ...sources[0], ...rest };
  const selectors = sources.map((source) => (Object.keys(source).length === 1 ? source.css : undefined));
  const isCss = selectors.every((selector) => typeof selector === 'string');
  return isCss ? { css: selectors, ...rest } : { any: sources, ...rest };
}

function isLink({ css }: FieldObject): boolean {
  return [css ?? []].flat().some((text) => /@(href|src)$/.test(text));
}

/** Converts a value that is always a number, and makes links absolute. */
function withType(name: string, field: FieldObject, values: readonly unknown[]): FieldObject {
  if (field.type === undefined && isLink(field)) return { ...field, type: 'url' };
  const filled = values.filter((value) => value !== null && value !== undefined);
  const isNumber = (value: unknown): boolean => typeof value === 'string' && isNumberText(value);
  if (filled.length === 0 || field.type !== undefined || isCodeName(name) || !filled.every(isNumber))
    return field;
  const { transform: _collapse, assert: _guard, ...rest } = field;
  return { ...rest, type: 'number' };
}

/** Columns that give the same as one before them in every row are left out. */
function withoutRepeats(fields: Fields, rows: readonly Record<string, unknown>[]): [string, Field][] {
  const seen = new Set<string>();
  return Object.entries(fields).filter(([name]) => {
    const values = JSON.stringify(rows.map((row) => row[name]));
    if (seen.has(values)) return false;
    seen.add(values);
    return true;
  });
}

function rowsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null)
    : [];
}

const TITLE = /(?:^|_)(?:title|name|headline|heading|subject)(?:_|$)/;
const PRICE = /(?:^|_)(?:price|amount|cost)(?:_|$)/;
const OLD = /(?:^|_)(?:old|was|regular|before)(?:_|$)/;
const PICTURE = /(?:^|_)(?:image|picture|photo|thumbnail|logo)(?:_|$)/;

/** Titles and prices come first, then other values, pictures, addresses, long texts and lists. */
function rankOf([name, field]: readonly [string, Field]): number {
  const { type, fields, page } = longForm(field);
  if (fields !== undefined) return 6;
  if (page !== undefined) return 5;
  if (PICTURE.test(name)) return 3;
  if (type === 'url') return 4;
  if (TITLE.test(name)) return 0;
  return !OLD.test(name) && (PRICE.test(name) || type === 'money') ? 1 : 2;
}

function inOrder(fields: readonly (readonly [string, Field])[]): Fields {
  return Object.fromEntries(fields.toSorted((a, b) => rankOf(a) - rankOf(b)));
}

function tidyField(name: string, field: FieldObject, value: unknown): FieldObject {
  if (field.fields === undefined) return withType(name, withFewSources(field), [value]);
  const rows = rowsOf(value);
  const columns = withoutRepeats(field.fields, rows).map(([key, column]) => {
    const values = rows.map((row) => row[key]);
    return [key, shortForm(withType(key, withFewSources(longForm(column)), values))] as const;
  });
  return { ...withFewSources(field), fields: inOrder(columns) };
}

/**
 * Simplifies a proposed schema: few fallbacks, numbers as numbers, no duplicates, what a person looks for first.
 * @param data the schema's data on a page
 */
export function tidySchema(schema: ParserSchema, data: Record<string, unknown> | null): ParserSchema {
  const fields = Object.entries(schema.fields).map(
    ([name, field]) => [name, shortForm(tidyField(name, longForm(field), data?.[name]))] as const,
  );
  return { ...schema, fields: inOrder(fields) };
}

/** Below this a field is offered, but not preselected. */
export const SURE = 0.5;

/** The proposed fields that are preselected; all of them when none is sure. */
export function sureFields({ schema, fields }: Suggested): Fields | undefined {
  if (schema === null) return undefined;
  const sure = Object.entries(schema.fields).filter(([name]) =>
    fields.some(({ path, confidence }) => path === name && confidence >= SURE),
  );
  return sure.length === 0 ? schema.fields : Object.fromEntries(sure);
}

/**
 * Fields that the engine proposes for a page; without examples from repeated elements. It runs in its own thread,
 * because a large page takes seconds, and values must still appear at once meanwhile.
 */
export async function suggestFields(
  page: KeptPage,
  { examples, signal }: { examples?: Readonly<Record<string, string>>; signal?: AbortSignal },
): Promise<Suggested> {
  const engine = createExtractor();
  signal?.addEventListener('abort', engine.close);
  try {
    const { schema: found, fields, data } = await engine.ask('suggest', page, examples);
    if (found === null) return { schema: null, fields, data: null };
    // Nobody waits any more, so no new thread begins.
    signal?.throwIfAborted();
    const schema = tidySchema(found, data);
    // What the schema stores, with the types that it has now.
    return { schema, fields, data: await engine.ask('readOnce', page, schema) };
  } finally {
    engine.close();
  }
}
