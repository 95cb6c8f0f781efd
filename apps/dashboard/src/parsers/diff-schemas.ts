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
