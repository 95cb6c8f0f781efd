import type { ParserSchema } from '@gleaner/contracts';
import { isFixedKind, type CompiledField } from './types.ts';

function fieldsWithin(fields: readonly CompiledField[]): CompiledField[] {
  return fields.flatMap((field) => [field, ...fieldsWithin(field.fields ?? [])]);
}

/**
 * Whether a page on which no source matches is no page of this schema. A field that counts, or has a default, has an answer
 * to such a page.
 */
export function mustMatch(
  { allow_empty: allowsEmpty }: ParserSchema,
  fields: readonly CompiledField[],
): boolean {
  const all = fieldsWithin(fields);
  return (
    allowsEmpty !== true &&
    all.some(({ sources }) => sources.some(({ kind }) => !isFixedKind(kind))) &&
    !all.some(({ take, fallback }) => take === 'count' || take === 'exists' || fallback !== undefined)
  );
}
