import { setTimeout as delay } from 'node:timers/promises';
import { AppError, nextFiring } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, asc, lte, sql } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import type { RunRow } from '../../runs/submission/create-run.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { admitDue } from '../../runs/sweep/sweep-chunks.ts';
import { readClock } from '../check-cron.ts';
import { readWork, type CronRow } from '../cron-record.ts';
import { cronRun } from '../cron-submission.ts';
import type { Firing } from './firing.ts';
import { createLanes } from './lanes.ts';

const { crons } = tables;

/** How long before the due time a run is prepared, at most. */
const AHEAD_SECONDS = 15;
/** Crons with more inputs are prepared when they are due. */
const MAX_INPUTS = 20;
const READ = 500;
/** The most prepared crons, and characters of their runs. */
const MAX_PREPARED = 20_000;
const MAX_CHARACTERS = 50_000_000;
/** Targets and sinks are resolved again after this time. */
const RESOLVED_MS = 10_000;
/** Few at once, because nobody waits for them. */
const PREPARING = 4;
const PREPARE_WITHIN_MS = 5_000;
/** Firings of one statement: its accounts are locked for about 30 ms. */
const TOGETHER = 100;
const FIRING = 2;
/** The known time of Postgres may be late by this, so what is due so soon is waited for: a claim would prepare it again. */
const SOON_MS = 25;

interface EarlyFiring {
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

/**
 * Runs of crons that are about to be due. Preparing a run takes several statements; firing prepared runs takes one
 * statement for a hundred. It fires only what is unchanged, and leaves everything else to the claim of due crons.
 */
export interface EarlyFirings {
  /** Prepares the runs of crons that are due within the next seconds. */
  prepare(): Promise<void>;
  /** Fires the prepared crons that are due, and admits their work in the background. */
  fire(): Promise<void>;
  settled(): Promise<void>;
}

function toEarlyFiring(row: CronRow, due: number, run: RunRow, target: ResolvedTarget): EarlyFiring {
  const at = new Date(due).toISOString();
  const next = nextFiring(row.schedule, row.timezone, due);
  const firing: Firing & { account: string } = {
    id: createId('firing'),
    cron: row.id,
    account: row.accountId,
    kind: 'due',
    cause: 'schedule',
    at,
    claimed: at,
    next: next === null ? null : new Date(next).toISOString(),
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

/** Undefined: it is prepared when it is due. */
async function prepareEarly(
  services: SubmitServices,
  row: CronRow,
  due: number,
): Promise<EarlyFiring | undefined> {
  try {
    const prepared = await cronRun(services, row.accountId, readWork(row)).prepareRow?.();
    return prepared && toEarlyFiring(row, due, prepared.row, prepared.target);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

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

/** Groups of about `TOGETHER`, an account's firings in one. In random order, so that processes meet rarely. */
function toGroups(firings: readonly EarlyFiring[]): EarlyFiring[][] {
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

/** @returns the accounts that have new runs */
async function fireGroup({ db }: SubmitServices, group: readonly EarlyFiring[]): Promise<string[]> {
  const json = (read: (one: EarlyFiring) => string): string => `[${group.map(read).join(',')}]`;
  const rows = await db.sql<{ id: string }[]>`
    SELECT id FROM engine.fire_crons(
      ARRAY(SELECT f FROM jsonb_populate_recordset(NULL::engine.firing, ${json(({ firing }) => firing)}::text::jsonb) f),
      ARRAY(SELECT r FROM jsonb_populate_recordset(NULL::engine.new_run, ${json(({ run }) => run)}::text::jsonb) r),
      ${`{${group.map(({ definition }) => definition).join(',')}}`}::text::int[],
      ${group.map(({ parser }) => parser)}::text[], ${group.map(({ parserRead }) => parserRead)}::text[]) id`;
  return rows.map(({ id }) => id);
}

export function createEarlyFirings(services: SubmitServices): EarlyFirings {
  const { db, log } = services;
  /** By cron. */
  const prepared = new Map<string, EarlyFiring>();
  let characters = 0;
  /** The last cron that was read, in the order of due times. */
  let seen = { at: '-infinity', id: '' };
  let resolved: SubmitServices['resolved'] = new Map();
  let resolvedAt = 0;
  /** Postgres' time less this process's monotonic time, in ms; a little too small, so nothing is tried too early. */
  let clockOffset: number | undefined;
  const underWay = new Set<Promise<void>>();

  const drop = (one: EarlyFiring): void => {
    if (prepared.get(one.cron) !== one) return;
    prepared.delete(one.cron);
    characters -= one.run.length;
  };

  const readComing = async () => {
    const rows = await db.orm
      .select({
        row: crons,
        due: sql<number>`(extract(epoch FROM ${crons.nextFireAt}) * 1000)::float8`,
      })
      .from(crons)
      .where(
        and(
          sql`${crons.nextFireAt} > clock_timestamp()`,
          sql`${crons.nextFireAt} <= clock_timestamp() + ${AHEAD_SECONDS} * interval '1 second'`,
          sql`(${crons.nextFireAt}, ${crons.id}) > (${seen.at}::text::timestamptz, ${seen.id})`,
          lte(crons.inputCount, MAX_INPUTS),
          sql`${crons.target} ->> 'type' <> 'workflow'`,
        ),
      )
      .orderBy(asc(crons.nextFireAt), asc(crons.id))
      .limit(READ);
    const last = rows.at(-1)?.row;
    if (last) seen = { at: last.nextFireAt ?? seen.at, id: last.id };
    return rows;
  };

  const prepare = async (): Promise<void> => {
    clockOffset = (await readClock(db.orm)) - performance.now();
    for (;;) {
      for (const one of prepared.values()) {
        if (clockOffset !== undefined && one.due + 60_000 < performance.now() + clockOffset) drop(one);
      }
      if (prepared.size + READ > MAX_PREPARED || characters > MAX_CHARACTERS) return;
      const rows = await readComing();
      if (performance.now() - resolvedAt > RESOLVED_MS) {
        resolved = new Map();
        resolvedAt = performance.now();
      }
      const sharing = { ...services, resolved };
      const waiting = rows.values();
      const next = async (): Promise<void> => {
        for (const { row, due } of waiting) {
          const one = await within(PREPARE_WITHIN_MS, prepareEarly(sharing, row, due));
          if (!one) continue;
          const known = prepared.get(one.cron);
          if (known) drop(known);
          prepared.set(one.cron, one);
          characters += one.run.length;
        }
      };
      await Promise.all(Array.from({ length: PREPARING }, next));
      if (rows.length < READ) return;
    }
  };

  const fire = async (): Promise<void> => {
    if (clockOffset === undefined) return;
    const now = performance.now() + clockOffset;
    const due = Array.from(prepared.values()).filter((one) => one.due <= now + SOON_MS);
    if (due.length === 0) return;
    for (const one of due) drop(one);
    const waitMs = Math.max(...due.map((one) => one.due)) - now;
    if (waitMs > 0) await delay(Math.ceil(waitMs));
    const lanes = createLanes(FIRING);
    const accounts = new Set<string>();
    await Promise.all(
      toGroups(due).map((group) =>
        lanes(async () => {
          try {
            for (const id of await fireGroup(services, group)) accounts.add(id);
          } catch (error) {
            log.warn({ err: error, crons: group.length }, 'prepared crons did not fire; claiming them');
          }
        }),
      ),
    );
    const admitting = admit([...accounts]);
    underWay.add(admitting);
    void admitting.finally(() => underWay.delete(admitting));
  };

  const admit = async (accounts: readonly string[]): Promise<void> => {
    try {
      const faults = await admitDue(services, accounts);
      if (faults.length > 0)
        log.warn({ count: faults.length, faults: faults.slice(0, 5) }, 'work of crons was not admitted');
    } catch (error) {
      log.warn({ err: error }, 'work of crons was not admitted; the sweeper tries again');
    }
  };

  return {
    prepare,
    fire,
    settled: async () => {
      await Promise.all(underWay);
    },
  };
}
