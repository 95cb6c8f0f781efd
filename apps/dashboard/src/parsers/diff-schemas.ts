import { isObject } from '@gleaner/contracts/values';
import { describeField } from './field-words.ts';

/** The change of one field between two versions of a schema. */
export interface FieldChange {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  /** The field as in the schema, without fields of its own. */
  before?: string;
  after?: string;
}

type Json = Record<string, unknown>;

/** What the words of a field say whole. */
const SAID = new Set('css xpath jsonld meta microdata page type take required default'.split(' '));

/** A field in words; as JSON where it has more than they say. */
function textOf(field: Json): string {
  const { sources, notes } = describeField(field);
  const isSaid = Object.keys(field).every((key) => SAID.has(key));
  if (!isSaid || (field['take'] ?? 'all') !== 'all') return JSON.stringify(field);
  return [sources.join(', else '), notes].filter((part) => part !== '').join(', ');
}

function flatten(fields: unknown, prefix: string, into: Map<string, string>): Map<string, string> {
  if (!isObject(fields)) return into;
  for (const [name, field] of Object.entries(fields)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const { fields: inner, ...own } = isObject(field) ? field : { css: field };
    into.set(path, textOf(own));
    flatten(inner, path, into);
  }
  return into;
}

const MOST_SHOWN = 120;
/** Characters before the difference, which tell where it is. */
const SHOWN_BEFORE = 40;

/** A long text cut to its beginning, or to where it differs from another. */
export function cutText(text: string, other = ''): string {
  if (text.length <= MOST_SHOWN) return text;
  let same = 0;
  while (same < text.length && text[same] === other[same]) same += 1;
  const from = Math.max(0, Math.min(same - SHOWN_BEFORE, text.length - MOST_SHOWN));
  const to = from + MOST_SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Field by field, in the order of the later schema. */
export function diffSchemas(before: Json | undefined, after: Json): FieldChange[] {
  const old = flatten(before?.['fields'], '', new Map());
  const now = flatten(after['fields'], '', new Map());
  const changes: FieldChange[] = [];
  for (const [path, text] of now) {
    const was = old.get(path);
    if (was === undefined) changes.push({ path, kind: 'added', after: text });
    else if (was !== text) changes.push({ path, kind: 'changed', before: was, after: text });
  }
  for (const [path, text] of old) if (!now.has(path)) changes.push({ path, kind: 'removed', before: text });
  return changes;
}
