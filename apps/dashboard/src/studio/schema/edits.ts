import { IDENTIFIER, IDENTIFIER_RULE } from '@gleaner/contracts/values';
import { isWithin } from '../../api/problem.ts';
import type { SchemaFault } from '../extraction/protocol.ts';
import { fieldAt, fieldsIn, moveField, pathText, setField, type Draft, type FieldPath } from './draft.ts';
import { readSources, writeSources } from './sources.ts';

function siblingsOf(draft: Draft, path: FieldPath): string[] {
  return Object.keys(fieldsIn(draft, path.slice(0, -1)));
}

/**
 * The draft with one more source of a field, tried when those before it give no value.
 * @param near a selector that may find the value
 */
export function addFallback(draft: Draft, path: FieldPath, near = 'body'): Draft {
  const field = fieldAt(draft, path);
  if (!field) return draft;
  return setField(draft, path, writeSources(field, [...readSources(field), { kind: 'css', text: near }]));
}

/** The draft in which a field has only one of its sources; the draft itself when it has no such source. */
export function withOneSource(draft: Draft, path: FieldPath, index: number | undefined): Draft {
  const field = fieldAt(draft, path);
  const source = field && index !== undefined ? readSources(field)[index] : undefined;
  return field && source ? setField(draft, path, writeSources(field, [source])) : draft;
}

/** Moves a field one step up (-1) or down (1) within its level. */
export function shiftField(draft: Draft, path: FieldPath, step: -1 | 1): Draft {
  const names = siblingsOf(draft, path);
  const at = names.indexOf(path.at(-1) ?? '');
  const isEnd = step < 0 ? at <= 0 : at >= names.length - 1;
  // Moving down inserts the field before the field after the next.
  return isEnd ? draft : moveField(draft, path, names[step < 0 ? at - 1 : at + 2]);
}

/** Puts a dragged field before the one it was dropped on, if both are of one level. */
export function dropField(draft: Draft, dragged: FieldPath, onto: FieldPath): Draft {
  const isSameLevel = pathText(dragged.slice(0, -1)) === pathText(onto.slice(0, -1));
  return isSameLevel ? moveField(draft, dragged, onto.at(-1)) : draft;
}

/** Why a field can't have this name. */
export function fieldNameError(draft: Draft, path: FieldPath, name: string): string | undefined {
  if (name !== path.at(-1) && siblingsOf(draft, path).includes(name)) return 'another field has this name';
  return IDENTIFIER.test(name) ? undefined : IDENTIFIER_RULE;
}

/** The faults of a field: `fields.items.fields.price.css[0]` belongs to `items.price`. */
export function faultsOf(faults: readonly SchemaFault[], path: FieldPath): SchemaFault[] {
  const prefix = path.map((name) => `fields.${name}`).join('.');
  return faults.filter((fault) => isWithin(fault.path, prefix));
}

/** The first fault as the form shows it. */
export function describeFault([fault]: readonly SchemaFault[]): string | undefined {
  if (fault === undefined) return undefined;
  return `${fault.reason}${fault.column === undefined ? '' : ` (column ${fault.column})`}`;
}
