import { isObject } from '@gleaner/contracts/values';
import type { FieldObject } from '@gleaner/contracts';
import { readSources, SOURCES } from '../studio/schema/sources.ts';

/** A field of a schema, to be read by people. */
export interface FieldWords {
  /** In the order in which they are tried: `.price`, `Meta tag og:title`. */
  sources: string[];
  /** What happens to the value: `as a number, all matches`. Empty when nothing does. */
  notes: string;
}

function notesOf(field: FieldObject): string {
  const { type, take, required, default: fallback } = field;
  return [
    type === undefined
      ? ''
      : `as ${type === 'number' ? 'a number' : JSON.stringify(type).replaceAll('"', '')}`,
    take === 'all' ? 'all matches' : '',
    required === true ? 'required' : '',
    fallback === undefined ? '' : `else ${JSON.stringify(fallback)}`,
  ]
    .filter((note) => note !== '')
    .join(', ');
}

/** @param field a field of a schema; anything else has no sources */
export function describeField(field: unknown): FieldWords {
  if (typeof field === 'string') return { sources: [field], notes: '' };
  if (!isObject(field)) return { sources: [], notes: '' };
  // Saved schemas were checked by the engine.
  const known: FieldObject = field;
  const sources = readSources(known)
    .filter(({ text }) => text !== '')
    .map(({ kind, text }) => (kind === 'css' || kind === 'xpath' ? text : `${SOURCES[kind].label} ${text}`));
  return { sources, notes: notesOf(known) };
}
