import type { FieldObject, Fields } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import type { Json } from '@gleaner/extractors/parts';
import type { FieldSuggestion, Suggestion } from './types.ts';

/** How deep values and lists are looked for, and how many of them are proposed. */
const MAX_DEPTH = 3;
const MAX_LISTS = 3;
const MAX_FIELDS = 30;
const NAME_LENGTH = 40;
/** The rows of a list that are looked at. */
const SEEN_ROWS = 50;
/** A column is proposed when this share of the rows has it. */
const LEAST_SHARE = 0.1;

/** A value beside others, or a column of a list. */
interface Found {
  names: readonly string[];
  path: string;
  values: readonly Json[];
}

type JsonObject = Readonly<Record<string, Json>>;

function isMembers(value: Json): value is { [name: string]: Json } {
  return isObject(value) && !Array.isArray(value);
}

function stepTo(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}

/** A name that no other field has. */
function nameFor(names: readonly string[], taken: Fields): string {
  const text = names
    .join('_')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '')
    .slice(0, NAME_LENGTH);
  const name = /^[a-z]/.test(text) ? text : `field${text === '' ? '' : `_${text}`}`;
  // `explain` is what an answer adds beside its fields.
  if (name !== 'explain' && !Object.hasOwn(taken, name)) return name;
  for (let number = 2; ; number += 1) {
    if (!Object.hasOwn(taken, `${name}_${number}`)) return `${name}_${number}`;
  }
}

/** The field that reads such values as they are; undefined for objects, whose members are fields. */
function fieldFor({ path, values }: Found): FieldObject | undefined {
  const filled = values.filter((value) => value !== null);
  const every = (test: (value: Json) => boolean): boolean => filled.every(test);
  if (filled.length === 0 || filled.some(isMembers)) return undefined;
  if (every(Array.isArray)) {
    const items = filled.flat();
    return items.length === 0 || items.some((item) => typeof item === 'object')
      ? { json: { path }, type: 'json' }
      : { json: { path: `${path}[*]` }, take: 'all' };
  }
  if (every((value) => typeof value === 'number'))
    return { json: { path }, type: every(Number.isInteger) ? 'integer' : 'number' };
  if (every((value) => typeof value === 'boolean')) return { json: { path }, type: 'boolean' };
  if (!every((value) => typeof value === 'string')) return { json: { path }, type: 'json' };
  const isUrl = every((value) => typeof value === 'string' && /^https?:\/\/\S+$/i.test(value));
  return { json: { path }, ...(isUrl ? { type: 'url' } : {}) };
}

/** The members of objects of one kind, those of objects inside of them too. */
function membersOf(objects: readonly JsonObject[], at: Omit<Found, 'values'>, depth = 0): Found[] {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...names].flatMap((name) => {
    const values = objects.flatMap((object) => (Object.hasOwn(object, name) ? [object[name] ?? null] : []));
    const found = { names: [...at.names, name], path: at.path + stepTo(name), values };
    const inner = values.filter(isMembers);
    if (inner.length === 0) return [found];
    return depth + 1 < MAX_DEPTH ? membersOf(inner, found, depth + 1) : [];
  });
}

interface FoundList {
  names: readonly string[];
  path: string;
  rows: JsonObject[];
}

/** The lists of objects in a value, not those inside of other lists. */
function listsOf(value: Json, at: Omit<Found, 'values'>, depth = 0): FoundList[] {
  if (Array.isArray(value)) {
    const rows = value.filter(isMembers);
    return rows.length > 0 && rows.length * 2 > value.length ? [{ ...at, rows }] : [];
  }
  if (!isMembers(value) || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listsOf(inner, { names: [...at.names, name], path: at.path + stepTo(name) }, depth + 1),
  );
}

function suggestion(path: string, confidence: number, reason: string): FieldSuggestion {
  return { path, confidence: Math.round(confidence * 1_000) / 1_000, reason, alternatives: [], missed: [] };
}

function columnsOf({ rows }: FoundList, list: string): { fields: Fields; suggestions: FieldSuggestion[] } {
  const seen = rows.slice(0, SEEN_ROWS);
  const fields: Fields = {};
  const suggestions: FieldSuggestion[] = [];
  for (const found of membersOf(seen, { names: [], path: '$' })) {
    const share = found.values.filter((value) => value !== null).length / seen.length;
    const field = share < LEAST_SHARE ? undefined : fieldFor(found);
    if (field === undefined || Object.keys(fields).length >= MAX_FIELDS) continue;
    const name = nameFor(found.names, fields);
    fields[name] = field;
    suggestions.push(suggestion(`${list}.${name}`, share, `in ${Math.round(share * 100)} % of the rows`));
  }
  return { fields, suggestions };
}

/** The lists and values of a page that is JSON itself, by their places and with the types that they have there. */
export function proposeJson(value: Json): Suggestion {
  const fields: Fields = {};
  const suggestions: FieldSuggestion[] = [];
  const lists = listsOf(value, { names: [], path: '$' })
    .toSorted((a, b) => b.rows.length - a.rows.length)
    .slice(0, MAX_LISTS);
  for (const list of lists) {
    const name = nameFor(list.names.length === 0 ? ['items'] : list.names.slice(-1), fields);
    const columns = columnsOf(list, name);
    if (Object.keys(columns.fields).length === 0) continue;
    fields[name] = { json: { path: `${list.path}[*]` }, take: 'all', fields: columns.fields };
    suggestions.push(suggestion(name, 0.95, 'a list of the page’s JSON'), ...columns.suggestions);
  }
  const members = isMembers(value) ? membersOf([value], { names: [], path: '$' }) : [];
  for (const found of members.filter(({ path }) => !lists.some((list) => list.path === path))) {
    const field = fieldFor(found);
    if (field === undefined || suggestions.length >= 2 * MAX_FIELDS) continue;
    const name = nameFor(found.names, fields);
    fields[name] = field;
    // Beside a list, other values are about the answer rather than its things.
    suggestions.push(suggestion(name, lists.length === 0 ? 0.9 : 0.4, 'a value of the page’s JSON'));
  }
  return { schema: Object.keys(fields).length === 0 ? null : { fields }, fields: suggestions };
}
