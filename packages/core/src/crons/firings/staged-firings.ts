import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { toGroups, type EarlyFiring } from './early-firing.ts';
import { stageGroup, startStaged } from './fire-group.ts';

/** Fewer crons fire soon enough without it. */
const MIN_STAGED = 300;
/** Staging takes so long at most. Changes of a staged cron wait until it has fired. */
const MAX_AHEAD_MS = 3_000;
const AHEAD_MS = 200;
const AHEAD_MS_EACH = 0.3;
/** How long before the due time staging is planned: more than it takes, and the time between two preparations. */
const PLAN_WITHIN_MS = 5_000;
/** Postgres ends the transaction of a process that freezes or dies. */
const IDLE_LIMIT = '5s';
const CHECK_CONNECTION = '250ms';

export interface StagedFirings {
  started: EarlyFiring[];
  /** Crons that can't be staged, for example because another process holds them. */
  held: EarlyFiring[];
  /** The others. */
  left: EarlyFiring[];
}

export interface StagingPlan {
  /** Plans what will be due soon, so that it is staged in time. @param now Postgres' time in ms */
  plan(coming: Iterable<EarlyFiring>, now: number): void;
  /** @returns what is due at a time, once */
  take(at: number): Promise<StagedFirings>[];
  settled(): Promise<void>;
}

/** @param stage stages and fires all that is due at a time */
export function createStagingPlan(stage: (due: number) => Promise<StagedFirings>): StagingPlan {
  /** By due time. */
  const planned = new Map<number, Promise<StagedFirings>>();
  return {
    plan: (coming, now) => {
      const counts = new Map<number, number>();
      for (const { due } of coming) {
        if (due > now && due < now + PLAN_WITHIN_MS) counts.set(due, (counts.get(due) ?? 0) + 1);
      }
      for (const [due, count] of counts) {
        if (count < MIN_STAGED || planned.has(due)) continue;
        const inMs = due - now - Math.min(MAX_AHEAD_MS, AHEAD_MS + count * AHEAD_MS_EACH);
        planned.set(
          due,
          delay(Math.max(0, inMs)).then(() => stage(due)),
        );
      }
    },
    take: (at) => {
      const due = [...planned].filter(([one]) => one <= at);
      for (const [one] of due) planned.delete(one);
      return due.map(([, firing]) => firing);
    },
    settled: async () => {
      await Promise.all(planned.values());
    },
  };
}

/**
 * Writes the runs of many crons before they are due, in a transaction that stays open until then. So little is left to do
 * at the due time.
 * @param msUntilDue the time until all of them are due; negative after it
 */
export async function fireStaged(
  { db, log }: SubmitServices,
  firings: readonly EarlyFiring[],
  msUntilDue: () => number,
): Promise<StagedFirings> {
  const staged: EarlyFiring[] = [];
  const held: EarlyFiring[] = [];
  let accounts: string[] = [];
  try {
    accounts = await db.sql.begin(async (tx): Promise<string[]> => {
      await tx`
        SELECT set_config('idle_in_transaction_session_timeout', ${IDLE_LIMIT}, true),
          set_config('client_connection_check_interval', ${CHECK_CONNECTION}, true)`;
      for (const group of toGroups(firings)) {
        if (msUntilDue() <= 0) break;
        const taken = new Set(await stageGroup(tx, group));
        for (const one of group) (taken.has(one.cron) ? staged : held).push(one);
      }
      return staged.length === 0 ? [] : startStaged(tx, staged);
    });
  } catch (error) {
    log.warn({ err: error, crons: staged.length }, 'staged crons did not fire; trying again');
  }
  const isStarted = new Set(accounts);
  const started = staged.filter((one) => isStarted.has(one.account));
  const known = new Set([...started, ...held]);
  return { started, held, left: firings.filter((one) => !known.has(one)) };
}
