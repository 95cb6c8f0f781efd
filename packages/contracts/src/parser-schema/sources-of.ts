import { FILE_FACTS, PDF_FACTS, type FileFact } from '../values/index.ts';
import type { FieldObject, Fields } from './field-shape.ts';
import type { AnySource } from './source.ts';

/** All sources of fields that are written as objects, those in `any` and of nested fields included. */
export function* sourcesOf(
  fields: Fields,
): Generator<FieldObject | Exclude<AnySource, string>, void, undefined> {
  for (const field of Object.values(fields)) {
    if (typeof field === 'string') continue;
    for (const source of [field, ...(field.any ?? [])]) if (typeof source !== 'string') yield source;
    if (field.fields !== undefined) yield* sourcesOf(field.fields);
  }
}

/** The files that a schema asks for. */
export function fileFacts({ fields }: { fields: Fields }): FileFact[] {
  const asked = new Set([...sourcesOf(fields)].map(({ page }) => page));
  return FILE_FACTS.filter((fact) => asked.has(fact));
}

/** Whether a schema has facts that a PDF states. */
export function readsPdf({ fields }: { fields: Fields }): boolean {
  return [...sourcesOf(fields)].some(({ page }) => PDF_FACTS.some((fact) => fact === page));
}
