import type { Field, Fields, FieldObject, ParserSchema } from '@gleaner/contracts';
import { asObject, shortForm } from '../schema/draft.ts';

/** More fallbacks than these make a schema that nobody reads. */
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

function withFewSources(field: FieldObject): FieldObject {
  if (field.any !== undefined) {
    const plain = field.any.filter((source) => typeof source === 'string' || source.xpath === undefined);
    return { ...field, any: (plain.length === 0 ? field.any : plain).slice(0, MAX_SOURCES) };
  }
  return Array.isArray(field.css) ? { ...field, css: field.css.slice(0, MAX_SOURCES) } : field;
}

/** A value that is a number wherever it stands becomes one. */
function withType(field: FieldObject, values: readonly unknown[]): FieldObject {
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
    return [name, shortForm(withType(withFewSources(asObject(column)), values))] as const;
  });
  return { ...withFewSources(field), fields: Object.fromEntries(columns) };
}

/**
 * A proposed schema as a person would have made it: few fallbacks, numbers as numbers, nothing twice.
 * @param data what the schema gives on a page
 */
export function tidySchema(schema: ParserSchema, data: Record<string, unknown> | null): ParserSchema {
  const fields = Object.entries(schema.fields).map(([name, field]) => [
    name,
    shortForm(tidyField(asObject(field), data?.[name])),
  ]);
  return { ...schema, fields: Object.fromEntries(fields) as Fields };
}
