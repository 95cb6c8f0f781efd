import type { CallOutput } from '../api/call.ts';
import { areLongTexts, textDifference, type DifferentLine } from '@gleaner/contracts/values';
import { TITLES } from '../format/titles.ts';
import { cellText, memberOf, shortUrl } from '../format/format.ts';

export type Change = CallOutput<'getChanges'>['changes'][number];
export type ChangeKind = Change['kind'];

/** One value of a change; a member is absent where there was, or is, no row. */
export interface ChangedValue {
  name: string;
  before?: string;
  after?: string;
  /** The lines in which long texts differ. */
  lines?: DifferentLine[];
}

/** A value in a few characters: a long text that was not kept by its size. */
export function valueText(value: unknown): string {
  const bytes = memberOf(value, 'bytes');
  if (typeof bytes === 'number' && typeof memberOf(value, 'sha256') === 'string')
    return `text of ${bytes} bytes`;
  return cellText(value) || '–';
}

/** `A-1` or `A-1, DE`: the key of a row. */
export function keyText(key: Readonly<Record<string, unknown>>): string {
  return Object.values(key).map(valueText).join(', ');
}

const URL_START = /^https?:\/\//;

/** `p/12 · shop.test`: the path comes before the host, because pages of a site differ by it. */
function pathFirst(url: string): string {
  const text = shortUrl(url);
  const at = text.indexOf('/');
  return at === -1 ? text : `${text.slice(at + 1)} · ${text.slice(0, at)}`;
}

/** What a changed row is called: one that has an address as its key by its title, where the change knows it. */
export function nameOfRow({
  key,
  row,
  after,
  before,
}: Omit<Change, 'id' | 'at' | 'run_id' | 'kind'>): string {
  const values = Object.values(key).map(valueText);
  if (!values.some((text) => URL_START.test(text))) return values.join(', ');
  const known = { ...before, ...after, ...row };
  const title = Object.keys(known).find((name) => TITLES.test(name) && cellText(known[name]) !== '');
  if (title !== undefined) return valueText(known[title]);
  return values.map((text) => (URL_START.test(text) ? pathFirst(text) : text)).join(', ');
}

function linesOf(before: unknown, after: unknown): { lines?: DifferentLine[] } {
  return areLongTexts(before, after) ? { lines: textDifference(before, String(after)) } : {};
}

function isShown(name: string, key: Readonly<Record<string, unknown>>): boolean {
  return !name.startsWith('_') && !Object.hasOwn(key, name);
}

/** What a change says of its columns: the differences, or the values that came or went with the row. */
export function valuesOf({ key, before, after, row }: Change): ChangedValue[] {
  if (after !== undefined)
    return Object.entries(after).map(([name, value]) => ({
      name,
      before: valueText(before?.[name]),
      after: valueText(value),
      ...linesOf(before?.[name], value),
    }));
  const [values, side] = row === undefined ? ([before ?? {}, 'before'] as const) : ([row, 'after'] as const);
  return Object.entries(values)
    .filter(([name, value]) => isShown(name, key) && value !== null)
    .map(([name, value]) => ({ name, [side]: valueText(value) }));
}

/** A value that a column had from then on; undefined while the row was gone. */
export interface Held {
  value: string | undefined;
  /** When it was first seen; null for what was there before the history began. */
  at: string | null;
  runId: string | null;
}

interface ColumnHistory {
  name: string;
  held: Held[];
}

/**
 * The values of each column over time, newest first; columns that never changed are left out.
 * @param changes of one row, oldest first
 */
export function valuesOverTime(changes: readonly Change[]): ColumnHistory[] {
  const columns = new Map<string, Held[]>();
  const note = (name: string, held: Held): void => {
    const all = columns.get(name);
    if (all === undefined) columns.set(name, [held]);
    else if (all.at(-1)?.value !== held.value) all.push(held);
  };
  for (const change of changes) {
    const { at, run_id: runId, before = {}, after, row, kind, key } = change;
    for (const [name, value] of Object.entries(before))
      if (isShown(name, key) && !columns.has(name))
        note(name, { value: valueText(value), at: null, runId: null });
    for (const [name, value] of Object.entries(after ?? row ?? {}))
      if (isShown(name, key)) note(name, { value: valueText(value), at, runId });
    if (kind === 'removed') for (const name of columns.keys()) note(name, { value: undefined, at, runId });
  }
  return [...columns]
    .filter(([, held]) => held.length > 1)
    .map(([name, held]) => ({ name, held: held.toReversed() }));
}

/** The numbers that a column had, oldest first; empty for one that ever had another value. @param held newest first */
export function stepsOf(held: readonly Held[]): { at: number; value: number }[] {
  const steps = held
    .filter(({ value, at }) => value !== undefined && value !== '–' && at !== null)
    .map(({ value, at }) => ({ at: Date.parse(at ?? ''), value: Number(value) }));
  return steps.every(({ value }) => Number.isFinite(value)) ? steps.toReversed() : [];
}
