import type { FieldObject, Field } from '@gleaner/contracts';
import { LIST_FACTS, longForm } from '@gleaner/contracts/values';

/** The field in its long form: a text is a CSS selector, and facts such as the page's links are lists. */
export function asObject(field: Field): FieldObject {
  const long: FieldObject = longForm(field);
  return long.take === undefined && LIST_FACTS.includes(long.page) ? { ...long, take: 'all' } : long;
}

/** Whether the value is a list after the transforms of the field, or of its first source, which all others match. */
export function isListField(field: FieldObject): boolean {
  if (field.fields !== undefined) return field.take === 'all';
  if (field.take === 'count' || field.take === 'exists') return false;
  let list = field.take === 'all';
  const [first] = field.any ?? [];
  const own = first !== undefined && typeof first !== 'string' ? first.transform : undefined;
  for (const step of own ?? field.transform ?? []) {
    if (typeof step === 'string') continue;
    if ('split' in step) list = true;
    if ('join' in step) list = false;
  }
  return list;
}

/** Whether the field has no source and only groups other fields. */
export function isGroup(field: FieldObject): boolean {
  return (
    field.fields !== undefined &&
    [field.css, field.xpath, field.jsonld, field.microdata, field.json, field.xhr, field.any].every(
      (kind) => kind === undefined,
    )
  );
}

/** Whether the value can be null. Lists never are: an absent one is []. */
export function isNullable(field: FieldObject): boolean {
  if (isListField(field) || isGroup(field)) return field.default === null;
  const breaksToNull = field.assert?.on_fail === 'null';
  if (field.take === 'count' || field.take === 'exists') return breaksToNull;
  if (breaksToNull) return true;
  if (field.default !== undefined) return field.default === null;
  return field.required !== true;
}
