import { AppError, nextFiring } from '@gleaner/contracts';
import { createId } from '../../platform/ids.ts';
import type { RunRow } from '../../runs/submission/create-run.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { readWork, type CronRow } from '../cron-record.ts';
import { cronRun } from '../cron-submission.ts';
import type { DecidedFiring } from './firing.ts';

/** Firings of one statement: its accounts are locked for about 30 ms. */
const TOGETHER = 100;
const PREPARE_WITHIN_MS = 5_000;

/** A firing with its prepared run. */
export interface EarlyFiring {
  due: number;
  account: string;
  cron: string;
  definition: number;
  parser: string;
  parserRead: string;
  /** JSON of `engine.firing` and of `engine.new_run`. */
  firing: string;
  run: string;
}

function toEarlyFiring(row: CronRow, due: number, run: RunRow, target: ResolvedTarget): EarlyFiring {
  const at = new Date(due).toISOString();
  const next = nextFiring(row.schedule, row.timezone, due);
  const firing: DecidedFiring & { account: string } = {
    id: createId('firing'),
    cron: row.id,
    account: row.accountId,
    kind: 'due',
    cause: 'schedule',
    at,
    claimed: at,
    next: next === null ? null : new Date(next).toISOString(),
    run: run.id,
  };
  return {
    due,
    account: row.accountId,
    cron: row.id,
    definition: row.definition,
    parser: target.target.type === 'parser' ? target.target.parserId : '',
    parserRead: target.parserRead ?? '',
    firing: JSON.stringify(firing),
    run: JSON.stringify(run),
  };
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

/** @returns the accounts of which it fired something */
export async function fireGroup(
  { db }: SubmitServices,
  group: readonly EarlyFiring[],
): Promise<FiredAccount[]> {
  const json = (read: (one: EarlyFiring) => string): string => `[${group.map(read).join(',')}]`;
  const rows = await db.sql<FiredAccount[]>`
    SELECT account_id AS id, has_run FROM engine.fire_crons(
      ARRAY(SELECT f FROM json_populate_recordset(NULL::engine.firing, ${json(({ firing }) => firing)}::text::json) f),
      ARRAY(SELECT r FROM json_populate_recordset(NULL::engine.new_run, ${json(({ run }) => run)}::text::json) r),
      ${`{${group.map(({ definition }) => definition).join(',')}}`}::text::int[],
      ${group.map(({ parser }) => parser)}::text[], ${group.map(({ parserRead }) => parserRead)}::text[])`;
  return rows;
}
