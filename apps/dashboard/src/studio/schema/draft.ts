import type { Field, FieldObject, Fields } from '@gleaner/contracts';
import { longForm } from '@gleaner/contracts/values';
import { readSources } from './sources.ts';

/** A schema in the making: it may be without fields. */
export interface Draft {
  fields: Fields;
  /** Whether a page on which nothing matches is a success. */
  allow_empty?: boolean;
}

/** The path of a field: `['items', 'price']`. */
export type FieldPath = readonly string[];

export const EMPTY_DRAFT: Draft = { fields: {} };

export function pathText(path: FieldPath): string {
  return path.join('.');
}

export function readPath(text: string | undefined): FieldPath {
  return text === undefined || text === '' ? [] : text.split('.');
}

/** The short form of a source that has only a selector. */
export function shortForm(field: FieldObject): Field {
  const entries = Object.entries(field).filter(([, value]) => value !== undefined);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === 'css' && typeof only[1] === 'string') return only[1];
  return Object.fromEntries(entries);
}

export function fieldAt(draft: Draft, [name = '', ...rest]: FieldPath): FieldObject | undefined {
  const field = draft.fields[name];
  if (field === undefined) return undefined;
  const found = longForm(field);
  return rest.length === 0 ? found : fieldAt({ fields: found.fields ?? {} }, rest);
}

export function fieldsIn(draft: Draft, parent: FieldPath): Fields {
  return parent.length === 0 ? draft.fields : (fieldAt(draft, parent)?.fields ?? {});
}

/** Changes the fields of the level in which a path ends. */
function withLevel(
  draft: Draft,
  [name = '', ...rest]: FieldPath,
  change: (fields: Fields, name: string) => Fields,
): Draft {
  if (rest.length === 0) return { ...draft, fields: change(draft.fields, name) };
  const field = draft.fields[name];
  if (field === undefined) return draft;
  const object = longForm(field);
  const { fields } = withLevel({ fields: object.fields ?? {} }, rest, change);
  return { ...draft, fields: { ...draft.fields, [name]: { ...object, fields } } };
}

export function setField(draft: Draft, path: FieldPath, field: FieldObject): Draft {
  return withLevel(draft, path, (fields, name) => ({ ...fields, [name]: shortForm(field) }));
}

export function removeField(draft: Draft, path: FieldPath): Draft {
  return withLevel(draft, path, ({ ...fields }, name) => {
    delete fields[name];
    return fields;
  });
}

/** The field keeps its position among the others. */
export function renameField(draft: Draft, path: FieldPath, to: string): Draft {
  return withLevel(draft, path, (fields, name) =>
    Object.fromEntries(Object.entries(fields).map(([key, field]) => [key === name ? to : key, field])),
  );
}

/** Puts a field before another one of its level, or at the end. */
export function moveField(draft: Draft, path: FieldPath, before: string | undefined): Draft {
  return withLevel(draft, path, (fields, name) => {
    const moved = fields[name];
    if (moved === undefined || before === name) return fields;
    const others = Object.entries(fields).filter(([key]) => key !== name);
    const at = before === undefined ? others.length : others.findIndex(([key]) => key === before);
    return Object.fromEntries(others.toSpliced(at < 0 ? others.length : at, 0, [name, moved]));
  });
}

/** Every field with its depth, in the order of the schema. */
export function listFields(
  fields: Fields,
  parent: FieldPath = [],
): { path: FieldPath; field: FieldObject }[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const object = longForm(field);
    const path = [...parent, name];
    return [{ path, field: object }, ...(object.fields ? listFields(object.fields, path) : [])];
  });
}

/** Whether a field gives many objects: rows with columns. */
export function isList(field: FieldObject | undefined): boolean {
  return field?.fields !== undefined && field.take === 'all';
}

/** The nearest list that a path is in, itself included. */
export function listAround(draft: Draft, path: FieldPath): FieldPath | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length);
    if (isList(fieldAt(draft, part))) return part;
  }
  return undefined;
}

/** `.price@data-value` → `.price`. An `@` that is escaped, or within brackets or quotes, belongs to the selector. */
export function withoutAttribute(text: string): string {
  return text.trim().replace(/\s*(?<!\\)@[A-Za-z_][\w:.-]*$/, '');
}

/** The CSS selectors that a field tries, in order, without attributes. */
export function selectorsOf(field: FieldObject): string[] {
  return readSources(field)
    .filter(({ kind, text }) => kind === 'css' && text !== '')
    .map(({ text }) => withoutAttribute(text));
}
