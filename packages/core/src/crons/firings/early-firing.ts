import { AppError, nextFiring } from '@gleaner/contracts';
import { createId } from '../../platform/ids.ts';
import type { RunRow } from '../../runs/submission/create-run.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { readWork, type CronRow } from '../cron-record.ts';
import { cronRun } from '../cron-submission.ts';

/** Firings of one statement: its accounts are locked for about 30 ms. */
const TOGETHER = 100;
const PREPARE_WITHIN_MS = 5_000;

/** A firing with its prepared run. Times are ISO 8601. */
export interface EarlyFiring {
  /** Milliseconds since the epoch. */
  due: number;
  account: string;
  cron: string;
  definition: number;
  parser: string;
  parserRead: string;
  id: string;
  at: string;
  /** The due time after `at`. */
  next: string | null;
  run: EarlyRun;
}

/** A run for `engine.new_run`. What may have line breaks is JSON. */
type EarlyRun = Pick<RunRow, 'id' | 'kind' | 'mode' | 'queue' | 'retries' | 'price' | 'budget' | 'total'> &
  Record<'name' | 'webhook' | 'inputs', string> & {
    /** Often the same for many crons of an account. */
    work: EarlyWork;
  };

/** JSON. */
type EarlyWork = Record<'target' | 'config' | 'sink', string>;

function toJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function toEarlyFiring(row: CronRow, due: number, run: RunRow, target: ResolvedTarget): EarlyFiring {
  const { id, kind, mode, queue, retries, price, budget, total } = run;
  const next = nextFiring(row.schedule, row.timezone, due);
  return {
    due,
    account: row.accountId,
    cron: row.id,
    definition: row.definition,
    parser: target.target.type === 'parser' ? target.target.parserId : '',
    parserRead: target.parserRead ?? '',
    id: createId('firing'),
    at: new Date(due).toISOString(),
    next: next === null ? null : new Date(next).toISOString(),
    run: {
      id,
      kind,
      mode,
      queue,
      retries,
      price,
      budget,
      total,
      name: toJson(run.name),
      work: { target: toJson(run.target), config: toJson(run.config), sink: toJson(run.sink) },
      webhook: toJson(run.webhook_url),
      inputs: toJson(run.inputs),
    },
  };
}

/** Characters that it holds in memory, about. */
export function sizeOf({ run: { work, inputs } }: EarlyFiring): number {
  return 500 + work.target.length + work.config.length + work.sink.length + inputs.length;
}

/** Undefined at the time limit. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined: it is prepared when it is due. */
export async function prepareEarly(
  services: SubmitServices,
  row: CronRow,
  due: number,
): Promise<EarlyFiring | undefined> {
  try {
    const preparing = cronRun(services, row.accountId, readWork(row)).prepareRow?.();
    const prepared = preparing && (await within(PREPARE_WITHIN_MS, preparing));
    return prepared && toEarlyFiring(row, due, prepared.row, prepared.target);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Groups of about `TOGETHER`, an account's firings in one. In random order, so that processes meet rarely. */
export function toGroups(firings: readonly EarlyFiring[]): EarlyFiring[][] {
  const groups: EarlyFiring[][] = [];
  let group: EarlyFiring[] = [];
  for (const list of Map.groupBy(firings, ({ account }) => account).values()) {
    for (let start = 0; start < list.length; start += TOGETHER) {
      const part = list.slice(start, start + TOGETHER);
      if (group.length + part.length > TOGETHER) {
        groups.push(group);
        group = [];
      }
      group.push(...part);
    }
  }
  groups.push(group);
  return groups
    .filter((one) => one.length > 0)
    .map((one) => ({ one, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ one }) => one);
}

export interface FiredAccount {
  id: string;
  has_run: boolean;
}

/** @returns what the runs do, each once, and its place in that list for each firing */
function shareWork(group: readonly EarlyFiring[]): { works: EarlyWork[]; places: number[] } {
  const works: EarlyWork[] = [];
  const known = new Map<string, number>();
  const places = group.map(({ run: { work } }) => {
    const key = `${work.target}\n${work.config}\n${work.sink}`;
    const place = known.get(key) ?? works.push(work);
    known.set(key, place);
    return place;
  });
  return { works, places };
}

/**
 * Sends a column as lines, and equal work once: due crons wait while Postgres reads all that.
 * @returns the accounts of which it fired something
 */
export async function fireGroup(
  { db }: SubmitServices,
  group: readonly EarlyFiring[],
): Promise<FiredAccount[]> {
  const { works, places } = shareWork(group);
  const lines = (read: (one: EarlyFiring) => string): string => group.map(read).join('\n');
  const numbers = (read: (one: EarlyFiring) => number): string => toIntegers(group.map(read));
  const workLines = (read: (work: EarlyWork) => string): string => works.map(read).join('\n');
  const rows = await db.sql<FiredAccount[]>`
    WITH works AS MATERIALIZED (
      SELECT w.place, w.target::jsonb AS target, w.config::jsonb AS config, nullif(w.sink::jsonb, 'null') AS sink
      FROM ROWS FROM (
        string_to_table(${workLines(({ target }) => target)}, E'\n'),
        string_to_table(${workLines(({ config }) => config)}, E'\n'),
        string_to_table(${workLines(({ sink }) => sink)}, E'\n')
      ) WITH ORDINALITY w (target, config, sink, place)
    )
    SELECT account_id AS id, has_run FROM engine.fire_crons(
      ARRAY(
        SELECT ROW(f.id, f.cron, f.account, 'due', 'schedule', f.at, f.at, nullif(f.next, ''), NULL, NULL, NULL,
          f.run)::engine.firing
        FROM ROWS FROM (
          string_to_table(${lines(({ id }) => id)}, E'\n'), string_to_table(${lines(({ cron }) => cron)}, E'\n'),
          string_to_table(${lines(({ account }) => account)}, E'\n'), string_to_table(${lines(({ at }) => at)}, E'\n'),
          string_to_table(${lines(({ next }) => next ?? '')}, E'\n'),
          string_to_table(${lines(({ run }) => run.id)}, E'\n')
        ) f (id, cron, account, at, next, run)),
      ARRAY(
        SELECT ROW(r.id, NULL, r.account, r.kind, r.name::jsonb #>> '{}', r.mode, r.queue, w.target, w.config, w.sink,
          r.webhook::jsonb #>> '{}', r.retries, r.price, r.budget, r.total, r.inputs::jsonb #>> '{}')::engine.new_run
        FROM ROWS FROM (
          string_to_table(${lines(({ run }) => run.id)}, E'\n'),
          string_to_table(${lines(({ account }) => account)}, E'\n'),
          string_to_table(${lines(({ run }) => run.kind)}, E'\n'),
          string_to_table(${lines(({ run }) => run.name)}, E'\n'),
          string_to_table(${lines(({ run }) => run.mode)}, E'\n'),
          string_to_table(${lines(({ run }) => run.queue)}, E'\n'), unnest(${toIntegers(places)}::text::int[]),
          string_to_table(${lines(({ run }) => run.webhook)}, E'\n'),
          string_to_table(${lines(({ run }) => run.inputs)}, E'\n'),
          unnest(${numbers(({ run }) => run.retries)}::text::int[]), unnest(${numbers(({ run }) => run.price)}::text::int[]),
          unnest(${numbers(({ run }) => run.budget)}::text::int[]), unnest(${numbers(({ run }) => run.total)}::text::int[])
        ) r (id, account, kind, name, mode, queue, work, webhook, inputs, retries, price, budget, total)
        JOIN works w ON w.place = r.work),
      ${numbers(({ definition }) => definition)}::text::int[],
      ${group.map(({ parser }) => parser)}::text[], ${group.map(({ parserRead }) => parserRead)}::text[])`;
  return rows;
}

function toIntegers(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}
