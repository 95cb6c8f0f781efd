import { setTimeout as delay } from 'node:timers/promises';
import { tables } from '@gleaner/db';
import { and, asc, lte, sql } from 'drizzle-orm';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { callWorkers } from '../../runs/sweep/call-workers.ts';
import { readClock } from '../check-cron.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { prepareEarly, sizeOf, toGroups, type EarlyFiring } from './early-firing.ts';
import { fireGroup, readDue, type FiredAccount } from './fire-group.ts';
import { inLanes } from './in-lanes.ts';
import { createStagingPlan, fireStaged, type StagedFirings } from './staged-firings.ts';

const { crons } = tables;

/** How long before the due time a run is prepared, at most. */
const AHEAD_SECONDS = 55;
/** Crons with more inputs are prepared when they are due. */
const MAX_INPUTS = 20;
const READ = 500;
/** The most prepared crons, and characters of their runs. */
const MAX_PREPARED = 20_000;
const MAX_CHARACTERS = 50_000_000;
/** Targets and sinks are resolved again after this time. */
const RESOLVED_MS = 10_000;
/** Few at once, because nobody waits for them. None of them waits for an account's own server. */
const PREPARING = 4;
/** How often a cron is tried that somebody else holds: a claim of it would prepare it again. */
const ROUNDS = 5;
const ROUND_MS = 100;
/** The known time of Postgres may be late by this, so what is due so soon is waited for: a claim would prepare it again. */
const SOON_MS = 25;

/**
 * Runs of crons that are about to be due. Preparing a run takes several statements; firing prepared runs takes one
 * statement for a hundred. It fires only what is unchanged, and leaves everything else to the claim of due crons.
 */
export interface EarlyFirings {
  /** Prepares the runs of crons that are due within the next seconds. */
  prepare(): Promise<void>;
  /** Fires the prepared crons that are due, and calls workers in the background. */
  fire(): Promise<void>;
  settled(): Promise<void>;
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
  const databaseNow = (): number => performance.now() + (clockOffset ?? 0);

  const drop = (one: EarlyFiring): void => {
    if (prepared.get(one.cron) !== one) return;
    prepared.delete(one.cron);
    characters -= sizeOf(one);
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
          // The statement's time is constant, so that the index serves the range.
          sql`${crons.nextFireAt} > statement_timestamp()`,
          sql`${crons.nextFireAt} <= statement_timestamp() + ${AHEAD_SECONDS} * interval '1 second'`,
          sql`(${crons.nextFireAt}, ${crons.id}) > (${seen.at}::text::timestamptz, ${seen.id})`,
          lte(crons.inputCount, MAX_INPUTS),
          sql`${crons.target} ->> 'type' <> 'workflow'`,
          // An account's own server may take long to respond, and others would wait.
          sql`NOT EXISTS (SELECT 1 FROM gleaner.databases d
            WHERE d.id = ${crons.sink} ->> 'database' AND d.kind <> 'managed')`,
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
        if (one.due + 60_000 < databaseNow()) drop(one);
      }
      staging.plan(prepared.values(), databaseNow());
      if (prepared.size + READ > MAX_PREPARED || characters > MAX_CHARACTERS) return;
      const rows = await readComing();
      if (performance.now() - resolvedAt > RESOLVED_MS) {
        resolved = new Map();
        resolvedAt = performance.now();
      }
      const sharing = { ...services, resolved };
      await forEachAlone(
        rows,
        async ({ row, due }) => {
          const one = await prepareEarly(sharing, row, due);
          if (!one) return;
          const known = prepared.get(one.cron);
          if (known) drop(known);
          prepared.set(one.cron, one);
          characters += sizeOf(one);
        },
        PREPARING,
      );
      if (rows.length < READ) return;
    }
  };

  const fireOrLeave = async (group: readonly EarlyFiring[]): Promise<FiredAccount[]> => {
    try {
      return await fireGroup(db.sql, group);
    } catch (error) {
      log.warn({ err: error, crons: group.length }, 'prepared crons did not fire; claiming them');
      return [];
    }
  };

  const staging = createStagingPlan((due) => {
    const firings = Array.from(prepared.values()).filter((one) => one.due === due);
    for (const one of firings) drop(one);
    return fireStaged(services, firings, () => due - databaseNow());
  });

  /**
   * @param held what somebody else held a moment ago
   * @returns the accounts of which it started something
   */
  const fireNow = async (due: readonly EarlyFiring[], held: readonly EarlyFiring[]): Promise<string[]> => {
    const accounts: string[] = [];
    let waiting = [...held];
    const fireAll = (firings: readonly EarlyFiring[]): Promise<void> =>
      inLanes(toGroups(firings), async (group) => {
        const fired = await fireOrLeave(group);
        if (fired.length === 0) waiting.push(...group);
        for (const { id, has_run: hasRun } of fired) if (hasRun) accounts.push(id);
      });
    await fireAll(due);
    for (let round = 1; waiting.length > 0 && round < ROUNDS; round += 1) {
      await delay(ROUND_MS * round);
      const still = await readDue(db.sql, waiting);
      waiting = still.held;
      await fireAll(still.free);
    }
    return accounts;
  };

  const fire = async (): Promise<void> => {
    if (clockOffset === undefined) return;
    const now = databaseNow();
    const due = Array.from(prepared.values()).filter((one) => one.due <= now + SOON_MS);
    const staged = staging.take(now + SOON_MS);
    if (due.length === 0 && staged.length === 0) return;
    for (const one of due) drop(one);
    const accounts = new Set<string>();
    const add = (ids: readonly string[]): void => {
      for (const id of ids) accounts.add(id);
    };
    const finish = async (firing: Promise<StagedFirings>): Promise<void> => {
      const { started, held, left } = await firing;
      add(started.map(({ account }) => account));
      add(await fireNow(left, held));
    };
    const waitMs = Math.max(...due.map((one) => one.due)) - now;
    if (waitMs > 0) await delay(Math.ceil(waitMs));
    await Promise.all([fireNow(due, []).then(add), ...staged.map(finish)]);
    if (accounts.size === 0) return;
    const calling = callWorkers(services).catch((error: unknown) => {
      log.warn({ err: error }, 'workers were not called for the work of crons; they find it when they look');
    });
    underWay.add(calling);
    void calling.finally(() => underWay.delete(calling));
  };

  return {
    prepare,
    fire,
    settled: async () => {
      await Promise.all([...underWay, staging.settled()]);
    },
  };
}
