import { longForm } from '@gleaner/contracts/values';
import type { Field, Fields, FieldObject, ParserSchema } from '@gleaner/contracts';
import { createExtractor } from '../extraction/extractor.ts';
import type { KeptPage, Suggested } from '../extraction/protocol.ts';
import { shortForm } from '../schema/draft.ts';

/** A schema with more fallbacks is hard to read. */
const MAX_SOURCES = 3;
const NUMBER = /^[^\d\n]{0,5}-?\d[\d.,\u00A0\u202F' ]*[^\d\n]{0,6}$/;
const HAS_MARK = /[\p{Sc}.,%]/u;

function isNumberLike(text: unknown): boolean {
  return (
    typeof text === 'string' &&
    text.length <= 24 &&
    NUMBER.test(text) &&
    (HAS_MARK.test(text) || /^\d+$/.test(text))
  );
}

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
function withType(field: FieldObject, values: readonly unknown[]): FieldObject {
  if (field.type === undefined && isLink(field)) return { ...field, type: 'url' };
  const filled = values.filter((value) => value !== null && value !== undefined);
  if (filled.length === 0 || field.type !== undefined || !filled.every(isNumberLike)) return field;
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

function tidyField(field: FieldObject, value: unknown): FieldObject {
  if (field.fields === undefined) return withType(withFewSources(field), [value]);
  const rows = rowsOf(value);
  const columns = withoutRepeats(field.fields, rows).map(([name, column]) => {
    const values = rows.map((row) => row[name]);
    return [name, shortForm(withType(withFewSources(longForm(column)), values))] as const;
  });
  return { ...withFewSources(field), fields: Object.fromEntries(columns) };
}

/**
 * Simplifies a proposed schema: few fallbacks, numbers as numbers, no duplicates.
 * @param data the schema's data on a page
 */
export function tidySchema(schema: ParserSchema, data: Record<string, unknown> | null): ParserSchema {
  const fields = Object.entries(schema.fields).map(([name, field]) => [
    name,
    shortForm(tidyField(longForm(field), data?.[name])),
  ]);
  return { ...schema, fields: Object.fromEntries(fields) as Fields };
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
    const { schema, fields, data } = await engine.ask('suggest', page, examples);
    return { schema: schema && tidySchema(schema, data), fields, data };
  } finally {
    engine.close();
  }
}
