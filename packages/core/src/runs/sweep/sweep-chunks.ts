import { randomUUID } from 'node:crypto';
import type { Services } from '../../platform/context.ts';
import { readDatabaseTime } from '../../platform/process/read-database-time.ts';
import { deliverAdmitted, listFaults, type AdmittedRow, type SweepRow } from '../deliveries/admitted.ts';
import { createOutbox } from '../deliveries/outbox.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { numberWaiting } from './number-waiting.ts';

/** A task fails after this many workers died while they ran it. */
export const MAX_DEATHS = 3;

/** A task fails after it was begun so often without an end that Postgres accepted. */
export const MAX_STARTS = 12;

/** The most accounts for which one round admits work. The next round continues with the others. */
const MAX_DUE = 1_000;

type SweepServices = Pick<Services, 'db' | 'queue' | 'log'>;

/** Accounts that are marked as having work to admit, longest wait first. */
export async function listDueAccounts({ db }: Pick<Services, 'db'>): Promise<string[]> {
  const rows = await db.sql<{ id: string }[]>`
    SELECT account_id AS id FROM gleaner.due_accounts
    WHERE due_at <= statement_timestamp() ORDER BY due_at LIMIT ${MAX_DUE}`;
  return rows.map(({ id }) => id);
}

async function listLostAccounts({ db }: Pick<Services, 'db'>, before: string): Promise<string[]> {
  const rows = await db.sql<{ id: string }[]>`
    SELECT id FROM engine.accounts_with_lost_chunks(${before}::text::timestamptz) id`;
  return rows.map(({ id }) => id);
}

/** Marks accounts that have work and free slots but no mark, in case a marking was missed. */
export async function markWaitingAccounts({ db }: Pick<Services, 'db'>): Promise<void> {
  await db.sql`SELECT engine.mark_waiting_accounts()`;
}

/**
 * Admits the work of accounts that are marked as due. Each has a separate transaction.
 * @returns the errors of single runs and accounts
 * @throws AggregateError when transactions failed; the other accounts have been done
 */
export async function admitDue(
  { db, queue, log }: SweepServices,
  accounts: readonly string[],
  parallel?: number,
): Promise<string[]> {
  const faults: string[] = [];
  const outbox = createOutbox(queue, log);
  try {
    await forEachAlone(
      accounts,
      async (account) => {
        const rows = await db.sql<SweepRow[]>`SELECT fault, (delivery).* FROM engine.admit_due(${account})`;
        faults.push(...listFaults(rows));
        outbox.add(rows);
      },
      parallel,
    );
  } finally {
    await outbox.sent();
  }
  return faults;
}

/**
 * One round of a sweeper: chunks of dead workers run again, accounts with free slots get work, and lost deliveries are
 * repeated. Each account has a separate transaction, so that no account waits for another.
 * A step that fails does not stop the others; the round logs all errors once, and the next round tries again.
 * @param before Postgres' time at the previous round; leases that expired since then are left for the next round
 * @returns Postgres' time, for the next round
 * @throws when Postgres is unavailable
 */
export async function sweepChunks(services: SweepServices, before: string | undefined): Promise<string> {
  const { db, queue, log } = services;
  const now = await readDatabaseTime(services.db);
  const faults: string[] = [];
  const attempt = async (step: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      faults.push(`${step}: ${String(error)}`);
    }
  };
  const deliverSwept = async (rows: readonly SweepRow[]): Promise<void> => {
    faults.push(...listFaults(rows));
    await deliverAdmitted(queue, log, rows);
  };
  if (before !== undefined) {
    await attempt('taking chunks back', async () =>
      forEachAlone(await listLostAccounts(services, before), async (account) =>
        deliverSwept(
          await db.sql<SweepRow[]>`
            SELECT fault, (delivery).*
            FROM engine.take_back_chunks(${account}, ${MAX_DEATHS}, ${MAX_STARTS}, ${before}::text::timestamptz)`,
        ),
      ),
    );
  }
  await attempt('admitting', async () => {
    faults.push(...(await admitDue(services, await listDueAccounts(services))));
  });
  await attempt('numbering children', async () => {
    faults.push(...(await numberWaiting(services)));
  });
  await attempt('delivering again', () => repeatDeliveries(services));
  if (faults.length > 0) {
    log.warn(
      { count: faults.length, faults: faults.slice(0, 5) },
      'parts of a sweep failed; the next round tries again',
    );
  }
  return now;
}

/** Returns a function that sweeps once per call. */
export function createChunkSweeper(services: SweepServices): () => Promise<void> {
  let before: string | undefined;
  return async () => {
    before = await sweepChunks(services, before);
  };
}

/** Delivers late chunks again. If the queue lost its epoch, it lost its jobs, and all admitted work is delivered again. */
async function repeatDeliveries({ db, queue, log }: SweepServices): Promise<void> {
  const hasLostJobs = (await queue.readEpoch()) === null;
  const rows = await db.sql<AdmittedRow[]>`SELECT * FROM engine.redeliver(${hasLostJobs})`;
  await deliverAdmitted(queue, log, rows);
  if (!hasLostJobs) return;
  // A new queue has no epoch either.
  if (rows.length > 0) {
    log.warn(
      { delivered: rows.length },
      'the queue had lost its jobs; all admitted work was delivered again',
    );
  }
  await queue.writeEpoch(randomUUID());
}
