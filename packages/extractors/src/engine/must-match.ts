import type { PageFact, ParserSchema } from '@gleaner/contracts';
import { factLabel, isFixedKind, type CompiledField } from './types.ts';

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

/** Facts that a page has nothing of while scripts have not filled it. */
const CONTENT_FACTS = [
  'headline',
  'text',
  'markdown',
  'main_html',
  'html',
  'links',
] as const satisfies readonly PageFact[];
const CONTENT_LABELS = new Set(CONTENT_FACTS.map(factLabel));

/** Whether the schema reads facts of the content alone, so that no source can say that the page gave nothing. */
export function readsFactsAlone(fields: readonly CompiledField[]): boolean {
  const sources = fieldsWithin(fields).flatMap((field) => field.sources);
  return (
    sources.every(({ kind }) => isFixedKind(kind)) && sources.some(({ label }) => CONTENT_LABELS.has(label))
  );
}
