import type { Json } from './jsonpath.ts';
import { openTexts } from './nested-texts.ts';
import { resolveReferences } from './references.ts';

/**
 * The forms in which a path is tried on a value, the first in which it finds something counts: a payload of references
 * with each in its place, the value itself, and the value with the JSON texts in it as values.
 */
export function* jsonForms(value: Json): Generator<Json> {
  const resolved = resolveReferences(value);
  if (resolved !== undefined) yield resolved;
  yield value;
  const opened = openTexts(resolved ?? value);
  if (opened === undefined) return;
  const inner = resolved === undefined ? resolveReferences(opened) : undefined;
  if (inner !== undefined) yield inner;
  yield opened;
}
