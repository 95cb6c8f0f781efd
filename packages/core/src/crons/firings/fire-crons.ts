import { AppError, withTimeout } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq, inArray } from 'drizzle-orm';
import type { PreparedRun } from '../../runs/submission/prepare-run.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { readWork, type CronRow } from '../cron-record.ts';
import { cronRun } from '../cron-submission.ts';
import type { DecidedFiring, Firing } from './firing.ts';
import { discardUnused, fireTogether, type PreparedFiring } from './fire-together.ts';

/** Firings of one account in one transaction, so that the account's lock is short and its inputs fit in memory. */
export const FIRED_TOGETHER = 10;
/** The time limit of preparing a run. The slowest part is the sink's server, which the account chose. */
const PREPARE_WITHIN_MS = 20_000;

/** @throws AppError temporarily_unavailable at the time limit. A later result is discarded. */
function prepareInTime(preparing: Promise<PreparedRun>): Promise<PreparedRun> {
  return withTimeout(preparing, PREPARE_WITHIN_MS, () => {
    preparing.then(
      (run) => run.discard(),
      () => undefined,
    );
    throw new AppError('temporarily_unavailable', {
      field: 'sink',
      detail: `the sink did not respond within ${PREPARE_WITHIN_MS / 1_000} s`,
    });
  });
}

/** Prepares the run of a cron. A refusal is a result, not an error. */
export async function prepareCron(services: SubmitServices, row: CronRow): Promise<PreparedRun | AppError> {
  try {
    return await prepareInTime(cronRun(services, row.accountId, readWork(services, row)).prepare());
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function prepareAll(
  services: SubmitServices,
  accountId: string,
  firings: readonly Firing[],
): Promise<PreparedFiring[]> {
  const { crons } = tables;
  const ids = firings.filter(({ at }) => at !== null).map(({ cron }) => cron);
  const rows =
    ids.length === 0
      ? []
      : await services.db.orm
          .select()
          .from(crons)
          .where(and(eq(crons.accountId, accountId), inArray(crons.id, ids)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const sharing = { ...services, resolved: new Map() };
  return Promise.all(
    firings.map(async (firing) => {
      const row = byId.get(firing.cron);
      return { firing, run: row && (await prepareCron(sharing, row)) };
    }),
  );
}

async function commit(
  services: SubmitServices,
  accountId: string,
  prepared: readonly PreparedFiring[],
): Promise<DecidedFiring[]> {
  const { decided, deliver } = await services.db.transact((tx) =>
    fireTogether(services, tx, { accountId, prepared }),
  );
  await deliver();
  return decided;
}

/** Decides about one firing. If its run is refused at this point, the firing is stored as failed. */
async function fireOne(
  services: SubmitServices,
  accountId: string,
  prepared: PreparedFiring,
): Promise<DecidedFiring[]> {
  try {
    return await commit(services, accountId, [prepared]);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    discardUnused([prepared]);
    return commit(services, accountId, [{ firing: prepared.firing, run: error }]);
  }
}

/**
 * Fires some crons of one account, each at most once: their runs, rows and next due times commit together. Inputs are read
 * and sinks are tested before, without any lock.
 * @param firings not more than `FIRED_TOGETHER`
 * @throws when Postgres is away; the leases then end, and another look fires them
 */
export async function fireCrons(
  services: SubmitServices,
  accountId: string,
  firings: readonly Firing[],
): Promise<DecidedFiring[]> {
  const prepared = await prepareAll(services, accountId, firings);
  if (prepared.length > 1) {
    try {
      return await commit(services, accountId, prepared);
    } catch (error) {
      // One of them was refused, so each is decided separately and the others start.
      if (!(error instanceof AppError)) throw error;
    }
  }
  const decided: DecidedFiring[] = [];
  for (const one of prepared) decided.push(...(await fireOne(services, accountId, one)));
  return decided;
}
