import { createTurns } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { FIRED_TOGETHER, fireCrons } from './fire-crons.ts';
import { createEarlyFirings } from './early-firings.ts';
import { toDueFiring, type Firing } from './firing.ts';
import { planFiring } from './plan-firing.ts';

/** The most crons of one claim. */
const CLAIMED = 500;
/** The most crons that this process has claimed and not fired yet. */
const MAX_UNDER_WAY = 2_000;
/** After this time, another round fires the crons of a process that died. */
const LEASE = '10 seconds';
/** A cron whose next time can't be found is looked at again after this time. */
const FAULTY_LEASE = '1 minute';
/** The most accounts with runs in preparation. */
const LANES = 64;
/**
 * Firings that take longer wait for the server of their sink. They leave their lane to other accounts, and further crons of
 * their account to the next claim after their lease.
 */
const SLOW_MS = 2_000;

/** Fires due crons. Any number of processes may do so concurrently. */
export interface CronFirer {
  /**
   * Claims due crons. Resolves after the claim and fires in the background, so that a slow sink delays no other cron.
   * @returns milliseconds until the next cron is due; undefined when none is
   */
  look(): Promise<number | undefined>;
  /** Prepares the runs of crons that are due within the next seconds. */
  prepare(): Promise<void>;
  /** Resolves when all claimed crons have fired. */
  settled(): Promise<void>;
}

interface ClaimedRow {
  id: string;
  account_id: string;
  schedule: string;
  timezone: string;
  catchup_seconds: number | null;
  due: string;
  claimed_at: string;
}

interface QueuedRow {
  id: string;
  cron_id: string;
  account_id: string;
  due: string;
  cause: Firing['cause'];
}

interface OwnedFiring {
  accountId: string;
  firing: Firing;
}

function planRow(row: ClaimedRow): OwnedFiring {
  const due = new Date(row.due).getTime();
  const plan = planFiring({
    schedule: row.schedule,
    timezone: row.timezone,
    due,
    now: new Date(row.claimed_at).getTime(),
    catchupSeconds: row.catchup_seconds,
  });
  return { accountId: row.account_id, firing: toDueFiring(row.id, due, plan) };
}

/** @returns how many were claimed, and those that can fire */
async function claimDue(
  { db, log }: SubmitServices,
  limit: number,
): Promise<{ claimed: number; owned: OwnedFiring[] }> {
  const rows = await db.sql<
    ClaimedRow[]
  >`SELECT * FROM ${db.sql(ENGINE)}.claim_crons(${limit}, ${LEASE}::text::interval)`;
  const owned: OwnedFiring[] = [];
  const faulty: string[] = [];
  for (const row of rows) {
    try {
      owned.push(planRow(row));
    } catch (error) {
      faulty.push(row.id);
      log.warn({ err: error, cron: row.id }, 'the next time of a cron could not be found');
    }
  }
  // Another process may know its time zone: during an update, processes have different lists of them.
  if (faulty.length > 0) {
    await db.sql`UPDATE gleaner.crons SET leased_until = now() + ${FAULTY_LEASE}::text::interval
      WHERE id = ANY(${faulty}::text[])`;
  }
  return { claimed: rows.length, owned };
}

async function claimQueued({ db }: SubmitServices, limit: number): Promise<OwnedFiring[]> {
  const rows = await db.sql<QueuedRow[]>`
    SELECT * FROM ${db.sql(ENGINE)}.claim_queued_firings(${limit}, ${LEASE}::text::interval)`;
  return rows.map((row) => ({
    accountId: row.account_id,
    firing: {
      id: row.id,
      cron: row.cron_id,
      kind: 'queued',
      cause: row.cause,
      at: new Date(row.due).toISOString(),
    },
  }));
}

export function createCronFirer(services: SubmitServices): CronFirer {
  const takeTurn = createTurns(LANES);
  const early = createEarlyFirings(services);
  const underWay = new Set<Promise<void>>();
  /** Crons claimed and not fired yet. A slow one is claimed again, which only renews its lease. */
  const held = new Set<string>();

  const release = (firings: readonly Firing[]): void => {
    for (const { cron } of firings) held.delete(cron);
  };

  const fireSome = async (accountId: string, firings: readonly Firing[]): Promise<void> => {
    try {
      await fireCrons(services, accountId, firings);
    } catch (error) {
      services.log.warn({ err: error, accountId, crons: firings.length }, 'crons did not fire; trying again');
    } finally {
      release(firings);
    }
  };

  const fire = (accountId: string, firings: readonly Firing[]): Promise<void> =>
    takeTurn(async () => {
      for (let at = 0; at < firings.length; at += FIRED_TOGETHER) {
        const firing = fireSome(accountId, firings.slice(at, at + FIRED_TOGETHER));
        underWay.add(firing);
        void firing.finally(() => underWay.delete(firing));
        const isDone = await Promise.race([firing.then(() => true), delay(SLOW_MS, false, { ref: false })]);
        if (isDone) continue;
        release(firings.slice(at + FIRED_TOGETHER));
        return;
      }
    });

  const start = (owned: readonly OwnedFiring[]): void => {
    const taken = owned.filter(({ firing }) => !held.has(firing.cron));
    for (const { firing } of taken) held.add(firing.cron);
    for (const [accountId, list] of Map.groupBy(taken, (one) => one.accountId)) {
      const firing = fire(
        accountId,
        list.map((one) => one.firing),
      );
      underWay.add(firing);
      void firing.finally(() => underWay.delete(firing));
    }
  };

  /** Claims until no cron is due, or this process has reached its limit. */
  const claim = async (): Promise<void> => {
    for (;;) {
      const room = Math.min(CLAIMED, MAX_UNDER_WAY - held.size);
      if (room <= 0) return;
      const { claimed, owned } = await claimDue(services, room);
      start(owned);
      if (claimed < CLAIMED) return;
    }
  };

  let looking: Promise<number | undefined> | undefined;
  let following: Promise<number | undefined> | undefined;
  const lookNow = async (): Promise<number | undefined> => {
    await early.fire();
    await claim();
    start(await claimQueued(services, CLAIMED));
    const [row] = await services.db.sql<
      { ms: number | null }[]
    >`SELECT ${services.db.sql(ENGINE)}.next_cron_due() AS ms`;
    return row?.ms ?? undefined;
  };
  return {
    prepare: early.prepare,
    // Calls during a round share the next round.
    look: () => {
      if (!looking) {
        looking = lookNow().finally(() => {
          looking = undefined;
        });
        return looking;
      }
      following ??= looking
        .catch(() => undefined)
        .then(() => delay(5))
        .then(() => {
          following = undefined;
          looking = lookNow().finally(() => {
            looking = undefined;
          });
          return looking;
        });
      return following;
    },
    settled: async () => {
      await Promise.all([...underWay, early.settled()]);
    },
  };
}
