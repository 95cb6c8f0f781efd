import { hash } from 'node:crypto';
import { shortenText, type StoredError } from '@gleaner/contracts';
import { fitCarried, fitValue } from '../columns/table-types.ts';
import { RELATIVE, SEEN_BY } from '../databases/feed-tables.ts';
import type { ColumnPlan, PlannedColumn } from './prepare-table.ts';
import { FETCHED_AT } from './sent-rows.ts';
import type { SinkRow } from './write-rows.ts';
import { followPath, toRecord } from './read-path.ts';

/** Values that were read from a relative time, by their place in the data (`items.3.seen`): the length of its unit in seconds. */
export type RelativeValues = Readonly<Record<string, number>>;

export interface SinkResult {
  /** The task's URL; for prebuilt APIs, the URL of the page. */
  url: string;
  /** When the page was fetched: ISO 8601, by our Postgres' clock. */
  fetchedAt: string;
  /** The parsed data of the result. */
  data: unknown;
  /** Values of further columns, by name: the same in every row of the result. */
  carried?: Readonly<Record<string, unknown>> | undefined;
  relative?: RelativeValues | undefined;
}

export interface RowShape {
  plan: ColumnPlan;
  /** Given to the rows. */
  shape: string;
  table: string;
  runId: string;
  /** The cron or workflow of the run. */
  source?: string | undefined;
  /** Path of the list of rows, one name per step. When empty, the data is the row. */
  rowsPath: readonly string[];
}

/** The maximum size of a key in a btree with 8 KB pages, with room for headers. */
const MAX_KEY_BYTES = 2600;
const MAX_SHOWN = 80;
/** UTF-16 units of all rows of one result. */
const MOST_LENGTH = 64 * 1024 * 1024;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return shortenText(text, MAX_SHOWN);
}

function fail(detail: string, field: string): { error: StoredError } {
  return {
    error: { code: 'extraction_failed', detail, field, retryable: false },
  };
}

function readField(
  { name, path }: PlannedColumn,
  fields: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, unknown>>,
): unknown {
  if (Object.hasOwn(meta, name)) return meta[name];
  if (path.length > 0) return followPath(path, fields);
  return Object.hasOwn(fields, name) ? fields[name] : null;
}

/** A field's place in lists and objects, whichever the elements. */
function withoutIndexes(place: string): string {
  return place.replaceAll(/\.\d+(?=\.|$)/gu, '');
}

/** For each place of a list, an object or a value: the fields in it that have a relative time, whichever the elements. */
function placesWithin(relative: RelativeValues): Map<string, Set<string>> {
  const within = new Map<string, Set<string>>();
  for (const place of Object.keys(relative)) {
    const field = withoutIndexes(place);
    for (let end = place.length; end > 0; end = place.lastIndexOf('.', end - 1)) {
      const known = within.get(place.slice(0, end));
      if (known) known.add(field);
      else within.set(place.slice(0, end), new Set([field]));
    }
  }
  return within;
}

/** What of a list or object makes a change: all but the fields that have a relative time anywhere in it. */
function digestOf(value: unknown, place: string, passing: ReadonlySet<string>): string {
  const strip = (part: unknown, at: string): unknown => {
    if (passing.has(at) && (part === null || typeof part !== 'object')) return null;
    if (Array.isArray(part)) return part.map((element) => strip(element, at));
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, strip(inner, `${at}.${name}`)]),
    );
  };
  return hash('sha256', JSON.stringify(strip(value, withoutIndexes(place))) ?? '').slice(0, 32);
}

/**
 * The columns of a row with values that were read from a relative time: the length of its unit in seconds, or of a list or object
 * the digest of the rest.
 * @param at the row's place in the data
 */
function relativeColumns(
  { columns }: ColumnPlan,
  fields: Readonly<Record<string, unknown>>,
  relative: RelativeValues,
  within: ReadonlyMap<string, ReadonlySet<string>>,
  at: readonly (string | number)[],
): Record<string, number | string> {
  return Object.fromEntries(
    columns.flatMap((column): [string, number | string][] => {
      const { name, path } = column;
      const place = [...at, ...(path.length > 0 ? path : [name])].join('.');
      const unit = relative[place];
      const value = readField(column, fields, {});
      if (value === null || typeof value !== 'object') return unit === undefined ? [] : [[name, unit]];
      const passing = within.get(place);
      return passing ? [[name, digestOf(value, place, passing)]] : [];
    }),
  );
}

function toRow(
  shape: RowShape,
  fields: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, unknown>> & { _fetched_at: string },
): SinkRow | { error: StoredError } {
  const { plan, table } = shape;
  const cells: (string | null)[] = [];
  const key: string[] = [];
  let keyLength = 0;
  for (const column of plan.columns) {
    const { name, type } = column;
    const value = readField(column, fields, meta);
    const fit = Object.hasOwn(meta, name) ? fitCarried : fitValue;
    const isNull = value === null || value === undefined;
    const cell = isNull ? null : name === FETCHED_AT ? meta._fetched_at : fit(value, type);
    if (cell === undefined)
      return fail(`column ${name} of table ${table} is ${type}; ${show(value)} does not fit`, name);
    if (column.isKey) {
      if (cell === null) return fail(`column ${name} is part of the key of table ${table} and is null`, name);
      keyLength += cell.length;
      key.push(cell);
    }
    cells.push(cell);
  }
  const text = key.join('\0');
  // A UTF-16 unit is at most three bytes of UTF-8, so most keys need no exact count.
  if (keyLength * 3 > MAX_KEY_BYTES && Buffer.byteLength(text) > MAX_KEY_BYTES)
    return fail(
      `the key of table ${table} is longer than ${MAX_KEY_BYTES} bytes: ${plan.key.join(', ')}`,
      plan.key[0] ?? '',
    );
  return { key: text, fetchedAt: meta._fetched_at, shape: shape.shape, cells };
}

function readElements(path: readonly string[], data: unknown): readonly unknown[] | undefined {
  if (path.length === 0) return [data];
  const value = followPath(path, data);
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : undefined;
}

/** The rows of one result: one, or one per element of `sink.rows`. Returns the first fault if any row is invalid. */
export function toRows(shape: RowShape, result: SinkResult): { rows: SinkRow[] } | { error: StoredError } {
  const { plan, rowsPath } = shape;
  if (plan.frozen !== undefined) return fail(plan.frozen, 'sink.contract');
  const elements = readElements(rowsPath, result.data);
  if (elements === undefined)
    return fail(`sink.rows names ${rowsPath.join('.')}, which is not a list`, 'sink.rows');
  const given = {
    ...result.carried,
    _url: result.url,
    _fetched_at: result.fetchedAt,
    _run_id: shape.runId,
    ...(shape.source !== undefined && { [SEEN_BY]: [shape.source] }),
  };
  const hasUnits = plan.columns.some(({ name }) => name === RELATIVE);
  const { relative = {} } = result;
  const within = hasUnits ? placesWithin(relative) : new Map<string, Set<string>>();
  const rows: SinkRow[] = [];
  let length = 0;
  for (const [index, element] of elements.entries()) {
    const at = rowsPath.length > 0 ? [...rowsPath, index] : [];
    const fields = toRecord(element) ?? {};
    const meta = hasUnits
      ? { ...given, [RELATIVE]: relativeColumns(plan, fields, relative, within, at) }
      : given;
    const row = toRow(shape, fields, meta);
    if ('error' in row) return row;
    for (const cell of row.cells) length += cell?.length ?? 0;
    if (length > MOST_LENGTH)
      return fail(
        `the ${elements.length} rows of the page are larger than 64 MB; each repeats its address of ${result.url.length} characters and the values that it carries`,
        'sink.rows',
      );
    rows.push(row);
  }
  return { rows };
}
