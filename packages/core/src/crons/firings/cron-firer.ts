import { AppError, createTurns } from '@gleaner/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { AccountBusyError, BUSY, createAccountGroups } from '../../platform/groups/create-account-groups.ts';
import { isLockTimeout, isLostConnection } from '../../platform/groups/database-errors.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { claimDue, claimQueued, type ClaimedFiring } from './claim-crons.ts';
import { fireGroup, type PreparedFiring, prepareCron } from './fire-group.ts';

/** The most crons of one claim, and those that this process has claimed and not fired yet. */
const CLAIMED = 500;
const MAX_UNDER_WAY = 3_000;
/** The most accounts with runs in preparation, and runs of one account. */
const LANES = 64;
const PREPARED_TOGETHER = 10;
/**
 * Preparations that take longer wait for the server of their sink. They leave their lane to other accounts, and further
 * crons of their account to a claim after their lease.
 */
const SLOW_MS = 2_000;
/** A group ends before it exceeds 4 MB of these: about a hundred runs, or ten workflow runs. */
const RUN_SIZE = 40_000;
const WORKFLOW_SIZE = 400_000;
/** A due time that can't be fired for another reason than Postgres' absence is tried so often, then it has failed. */
const TRIES = 3;

/** Groups of firings, each in one transaction. What a group leaves, or what fails with it, is tried by its account alone. */
function createFiringGroups(services: SubmitServices) {
  return createAccountGroups<PreparedFiring, 'decided'>({
    accountOf: ({ firing }) => firing.account,
    sizeOf: ({ run }) => (run instanceof AppError || run.row ? RUN_SIZE : WORKFLOW_SIZE),
    mayBeOneItem: (error) => !isLostConnection(error),
    run: async (prepared, waitMs) => {
      const wait = waitMs === null ? null : { ms: waitMs };
      try {
        const { left, deliver } = await services.db.transact((tx) =>
          fireGroup(services, tx, { prepared, wait }),
        );
        await deliver();
        return prepared.map((one) => (left.includes(one) ? BUSY : 'decided'));
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        return prepared.map(() => BUSY);
      }
    },
  });
}

/** What happens to firings that failed. */
function createRefusals({ log }: SubmitServices, groups: ReturnType<typeof createFiringGroups>) {
  /** How often crons could not be fired. */
  const faults = new Map<string, number>();
  return {
    /** Stores a refusal as the firing's outcome; leaves another error to the next claim, for as long as that may help. */
    store: async ({ firing }: ClaimedFiring, error: unknown): Promise<void> => {
      if (isLostConnection(error)) return;
      const count = (faults.get(firing.cron) ?? 0) + 1;
      faults.set(firing.cron, count);
      if (!(error instanceof AppError))
        log.warn({ err: error, cron: firing.cron, count }, 'a cron did not fire');
      if (!(error instanceof AppError) && count < TRIES) return;
      const code = error instanceof AccountBusyError ? 'temporarily_unavailable' : 'internal';
      await groups.call({ firing, run: error instanceof AppError ? error : new AppError(code) });
      faults.delete(firing.cron);
    },
    /** The cron has fired. */
    forget: (cron: string): boolean => faults.delete(cron),
  };
}

const FAILURE_UNSTORED = 'the failure of a cron could not be stored; trying again';

/** Fires due crons. Any number of processes may do so concurrently. @param slowMs see SLOW_MS; prepareMs see `prepareCron` */
export function createCronFirer(
  services: SubmitServices,
  { slowMs = SLOW_MS, prepareMs }: { slowMs?: number; prepareMs?: number } = {},
) {
  const takeTurn = createTurns(LANES);
  const groups = createFiringGroups(services);
  /** Crons claimed and not fired yet. A slow one is claimed again, which only renews its lease. */
  const held = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const refusals = createRefusals(services, groups);

  const track = (work: Promise<void>): void => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };

  const fire = async (claimed: ClaimedFiring, preparing: Promise<PreparedFiring['run']>): Promise<void> => {
    const { firing, fireAt } = claimed;
    try {
      const run = await preparing;
      const ms = Math.ceil(fireAt - performance.now());
      if (ms > 0) await delay(ms);
      await groups.call({ firing, run }).catch((error: unknown) => {
        // A refusal proves that the transaction was rolled back.
        if (error instanceof AppError && !(run instanceof AppError)) run.discard();
        throw error;
      });
      refusals.forget(firing.cron);
    } catch (error) {
      await refusals.store(claimed, error).catch((cause: unknown) => {
        services.log.warn({ err: cause, cron: firing.cron }, FAILURE_UNSTORED);
      });
    } finally {
      held.delete(firing.cron);
    }
  };

  /** @param sharing resolves equal targets and sinks once */
  const start = (sharing: SubmitServices, claimed: readonly ClaimedFiring[]): void => {
    const taken = claimed.filter(({ firing }) => !held.has(firing.cron));
    for (const { firing } of taken) held.add(firing.cron);
    for (const list of Map.groupBy(taken, ({ firing }) => firing.account).values()) {
      const preparing = takeTurn(async () => {
        for (let at = 0; at < list.length; at += PREPARED_TOGETHER) {
          const runs = list.slice(at, at + PREPARED_TOGETHER).map((one) => {
            const run = prepareCron(sharing, one.row, prepareMs);
            track(fire(one, run));
            return run;
          });
          const all = Promise.allSettled(runs).then(() => true);
          if (await Promise.race([all, delay(slowMs, false, { ref: false })])) continue;
          for (const { firing } of list.slice(at + PREPARED_TOGETHER)) held.delete(firing.cron);
          return;
        }
      });
      track(preparing);
    }
  };

  return {
    /** Claims due crons. Resolves after the claim and fires in the background, so that a slow sink delays no other cron. */
    look: async (): Promise<void> => {
      const sharing = { ...services, resolved: new Map() };
      for (;;) {
        const room = Math.min(CLAIMED, MAX_UNDER_WAY - held.size);
        if (room <= 0) break;
        const { count, claimed } = await claimDue(services, room);
        start(sharing, claimed);
        if (count < room) break;
      }
      start(sharing, await claimQueued(services, CLAIMED));
    },
    /** Resolves when all claimed crons have fired. */
    settled: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
