import type { Json } from '../json/jsonpath.ts';
import { setOwn } from '../json/loose-value.ts';
import { chooseSource, isTally, itemCount, readTally, stepToSibling, type Choice } from './choose-source.ts';
import { countFault } from './compile-assert.ts';
import { addFailure, countValue, type PageState } from './page-state.ts';
import { scopeOf } from './source.ts';
import type { CompiledField, Match, Scope } from './types.ts';

/** A row that an assertion drops. */
export const DROPPED = Symbol('dropped');

export type FieldValue = Json | typeof DROPPED;

function labelsOf(field: CompiledField): string | null {
  return field.sources.length === 0 ? null : field.sources.map(({ label }) => label).join(' | ');
}

function report(state: PageState, field: CompiledField, choice: Choice, count: number): void {
  const entry = state.reports[field.index];
  if (entry === undefined) return;
  if (choice.matches.length > 0) entry.matched = true;
  entry.value_count += count;
  if (count > 0 && choice.source !== undefined) entry.selector ??= choice.source.label;
}

function noteError(state: PageState, field: CompiledField, reason: string): void {
  const entry = state.reports[field.index];
  if (entry !== undefined) entry.error ??= reason;
}

function absentValue(field: CompiledField): Json {
  return field.fallback ?? (field.shape === 'list' && field.fallback !== null ? [] : null);
}

/** The result of a field after a failed assertion, or a value that can't be converted to its type. */
function broken(state: PageState, field: CompiledField, choice: Choice, reason: string): FieldValue {
  noteError(state, field, reason);
  const { onFail } = field.assert;
  if (onFail === 'drop_row') return DROPPED;
  if (onFail === 'null') return field.shape === 'list' ? [] : null;
  addFailure(state, field.name, choice.source?.label ?? labelsOf(field), reason);
  return null;
}

function whyNothing(state: PageState, field: CompiledField): string {
  for (const source of field.sources) {
    const reason = source.whyNothing?.(state);
    if (reason !== undefined) return reason;
  }
  return 'nothing matched';
}

function absent(state: PageState, field: CompiledField, choice: Choice): FieldValue {
  const unsure = choice.reading.state === 'absent' ? choice.reading.reason : undefined;
  if (unsure !== undefined) noteError(state, field, unsure);
  const reason = countFault(field.assert, 0);
  if (reason !== undefined && field.fallback === undefined) return broken(state, field, choice, reason);
  if (field.required && field.fallback === undefined) {
    const why =
      unsure !== undefined
        ? `required, but ${unsure}`
        : choice.matches.length > 0
          ? 'required, but the match has no value'
          : `required, but ${whyNothing(state, field)}`;
    noteError(state, field, why);
    addFailure(state, field.name, labelsOf(field), why);
    return null;
  }
  return absentValue(field);
}

function readScalars(state: PageState, field: CompiledField, choice: Choice): FieldValue {
  const reading = choice.source === undefined && isTally(field) ? readTally(field, 0) : choice.reading;
  if (reading.state === 'invalid') {
    report(state, field, choice, 0);
    return broken(state, field, choice, reading.reason);
  }
  const count =
    reading.state === 'absent'
      ? 0
      : Array.isArray(reading.value) && field.shape === 'list'
        ? reading.value.length
        : 1;
  report(state, field, choice, choice.source === undefined ? 0 : count);
  if (reading.state === 'absent') return absent(state, field, choice);
  if (isTally(field)) return reading.value;
  if (reading.unitSeconds !== undefined)
    state.relative.push([[...state.trail, field.name].join('.'), reading.unitSeconds]);
  const reason = countFault(field.assert, itemCount(field, reading.value));
  return reason === undefined ? reading.value : broken(state, field, choice, reason);
}

/** All fields of one object; DROPPED when an assertion drops its row. */
export function readFields(
  state: PageState,
  fields: readonly CompiledField[],
  scope: Scope,
): Record<string, Json> | typeof DROPPED {
  const data: Record<string, Json> = {};
  for (const field of fields) {
    const value = readField(state, field, scope);
    if (value === DROPPED) return DROPPED;
    setOwn(data, field.name, value);
  }
  return data;
}

function readRows(state: PageState, field: CompiledField, matches: readonly Match[]): Json[] {
  const rows: Json[] = [];
  for (const match of matches) {
    const scope = scopeOf(match);
    if (scope === undefined || field.fields === undefined) continue;
    countValue(state, 0);
    const { failureCount } = state;
    const failures = state.failures.length;
    const relative = state.relative.length;
    state.trail.push(field.name, rows.length);
    const row = readFields(state, field.fields, scope);
    state.trail.length -= 2;
    if (row === DROPPED) {
      // What is noted of a dropped row does not count.
      state.failures.length = failures;
      state.relative.length = relative;
      state.failureCount = failureCount;
    } else {
      rows.push(row);
    }
  }
  return rows;
}

function readObject(state: PageState, field: CompiledField, choice: Choice): FieldValue {
  const stepped = choice.matches
    .map((match) => stepToSibling(state, field, match))
    .filter((match) => match !== undefined);
  const usable = { ...choice, matches: stepped };
  if (field.take === 'all') {
    const rows = readRows(state, field, stepped);
    report(state, field, usable, rows.length);
    if (rows.length === 0) return absent(state, field, usable);
    const reason = countFault(field.assert, rows.length);
    return reason === undefined ? rows : broken(state, field, usable, reason);
  }
  const [first] = stepped;
  const scope = first === undefined ? undefined : scopeOf(first);
  report(state, field, usable, scope === undefined ? 0 : 1);
  if (scope === undefined || field.fields === undefined) return absent(state, field, usable);
  state.trail.push(field.name);
  const object = readFields(state, field.fields, scope);
  state.trail.length -= 1;
  return object;
}

/** Why the field has no value from the page; undefined when it has one. */
function whyNot(
  state: PageState,
  field: CompiledField,
  { reading, matches, source }: Choice,
  value: FieldValue,
): string | undefined {
  if (value === DROPPED) return 'its row was dropped';
  const isMissing =
    value === null || (Array.isArray(value) && value.length === 0) || value === field.fallback;
  if (!isMissing || reading.state === 'value') return undefined;
  const end = field.fallback === undefined || field.fallback === null ? '' : '; the default is used';
  if (reading.reason !== undefined) return `${reading.reason}${end}`;
  return source === undefined || matches.length === 0
    ? `${whyNothing(state, field)}${end}`
    : `the match has no value${end}`;
}

/** Whether the field is a column of a row. */
function isColumn({ rowsAt, trail }: PageState): boolean {
  return rowsAt !== undefined && trail.filter((part) => typeof part === 'string').join('.') === rowsAt;
}

/** Whether one of the field's sources matched, if only an empty JSON list. */
function matchesList(
  state: PageState,
  { sources }: CompiledField,
  scope: Scope,
  { matches }: Choice,
): boolean {
  if (matches.length > 0) return true;
  const hasList = sources.some(({ findLists }) =>
    findLists?.(state, scope, Infinity).some((match) => match.kind === 'json' && Array.isArray(match.value)),
  );
  state.hasMatched ||= hasList;
  return hasList;
}

function hasNothing(value: Json): boolean {
  if (value === null || typeof value !== 'object') return value === null;
  return Object.values(value).every(hasNothing);
}

/** Reads the fields of a group; null where it is a column in which nothing matched. */
function readGroup(state: PageState, field: CompiledField, scope: Scope): FieldValue {
  const { hasMatched } = state;
  const mayBeNull = isColumn(state);
  state.hasMatched = false;
  state.trail.push(field.name);
  const group = readFields(state, field.fields ?? [], scope);
  state.trail.length -= 1;
  const isMatched = state.hasMatched;
  state.hasMatched ||= hasMatched;
  if (group !== DROPPED)
    report(state, field, { source: undefined, matches: [], reading: { state: 'absent' } }, 1);
  return group !== DROPPED && mayBeNull && !isMatched && hasNothing(group) ? null : group;
}

/** Reads one field within a scope, and records its report, failures and trace. */
export function readField(state: PageState, field: CompiledField, scope: Scope): FieldValue {
  state.current = field.index;
  if (field.fields !== undefined && field.sources.length === 0) return readGroup(state, field, scope);
  const choice = chooseSource(state, field, scope);
  const value =
    field.fields === undefined ? readScalars(state, field, choice) : readObject(state, field, choice);
  if (choice.trace !== undefined) choice.trace.reason = whyNot(state, field, choice, value);
  if (!Array.isArray(value) || value.length > 0 || matchesList(state, field, scope, choice)) return value;
  return isColumn(state) && field.fallback === undefined ? null : value;
}
