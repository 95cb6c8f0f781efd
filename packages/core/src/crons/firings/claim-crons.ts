import { tables } from '@gleaner/db';
import { getTableColumns, inArray, sql } from 'drizzle-orm';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import type { CronRow } from '../cron-record.ts';
import type { Firing } from './firing.ts';
import { planFiring } from './plan-firing.ts';

const { crons } = tables;

/** Crons are claimed this long before they are due, so that their runs are prepared then. */
const AHEAD = '2 seconds';
/** After this time, another round fires the crons of a process that died. */
const LEASE = '12 seconds';
/** A cron whose next time can't be found is looked at again after this time. */
const FAULTY_LEASE = '1 minute';

export interface ClaimedFiring {
  row: CronRow;
  firing: Firing;
  /** When it may fire, by `performance.now()`. */
  fireAt: number;
}

type ClaimedRow = CronRow & { now: number };

function toClaimed(row: ClaimedRow): ClaimedFiring {
  const due = Date.parse(row.nextFireAt ?? '');
  const firing = planFiring(row, due, Math.max(due, row.now));
  // Postgres' clock has gone on since it gave `now`, so a wait of the difference is never too short.
  return { row, firing, fireAt: performance.now() + Math.max(0, due - row.now) };
}

/**
 * Leases crons that are due, or soon will be. A lease only saves work: `decide_firings` makes sure that each due time
 * fires once.
 * @returns how many were leased, and those that can fire
 */
export async function claimDue(
  { db, log }: SubmitServices,
  limit: number,
): Promise<{ count: number; claimed: ClaimedFiring[] }> {
  const rows: ClaimedRow[] = await db.orm
    .update(crons)
    .set({ leasedUntil: sql`now() + ${LEASE}::text::interval` })
    .where(
      sql`${crons.id} = ANY (ARRAY(
        SELECT id FROM gleaner.crons
        WHERE next_fire_at <= now() + ${AHEAD}::text::interval AND (leased_until IS NULL OR leased_until <= now())
        ORDER BY next_fire_at, account_id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
    )
    .returning({
      ...getTableColumns(crons),
      now: sql<number>`floor(extract(epoch FROM clock_timestamp()) * 1000)::float8`,
    });
  const claimed: ClaimedFiring[] = [];
  const faulty: string[] = [];
  for (const row of rows) {
    try {
      claimed.push(toClaimed(row));
    } catch (error) {
      faulty.push(row.id);
      log.warn({ err: error, cron: row.id }, 'the next time of a cron could not be found');
    }
  }
  // Another process may know its time zone: during an update, processes have different lists of them.
  if (faulty.length > 0) {
    await db.orm
      .update(crons)
      .set({ leasedUntil: sql`now() + ${FAULTY_LEASE}::text::interval` })
      .where(inArray(crons.id, faulty));
  }
  return { count: rows.length, claimed };
}

interface QueuedRow {
  id: string;
  cron_id: string;
  due: string;
  cause: Firing['cause'];
}

/** Leases crons that have a waiting firing and no unfinished run, each with the first of those firings. */
export async function claimQueued({ db }: SubmitServices, limit: number): Promise<ClaimedFiring[]> {
  const queued = await db.sql<QueuedRow[]>`
    WITH waiting AS (
      SELECT DISTINCT f.cron_id FROM gleaner.cron_firings f WHERE f.outcome = 'queued'
    ), free AS (
      SELECT c.id FROM gleaner.crons c JOIN waiting w ON w.cron_id = c.id
      WHERE (c.leased_until IS NULL OR c.leased_until <= now()) AND NOT EXISTS (
        SELECT 1 FROM gleaner.cron_firings f JOIN gleaner.runs r ON r.id = f.run_id
        WHERE f.cron_id = c.id AND f.is_live AND r.state IN ('pending', 'running'))
      LIMIT ${limit} FOR UPDATE OF c SKIP LOCKED
    ), leased AS (
      UPDATE gleaner.crons c SET leased_until = now() + ${LEASE}::text::interval FROM free
      WHERE c.id = free.id RETURNING c.id
    )
    SELECT f.id, f.cron_id, f.scheduled_at AS due, f.cause FROM leased l CROSS JOIN LATERAL (
      SELECT * FROM gleaner.cron_firings q WHERE q.cron_id = l.id AND q.outcome = 'queued' ORDER BY q.scheduled_at LIMIT 1
    ) f`;
  if (queued.length === 0) return [];
  const ids = queued.map((one) => one.cron_id);
  const rows = await db.orm.select().from(crons).where(inArray(crons.id, ids));
  return rows.flatMap((row) => {
    const found = queued.find((one) => one.cron_id === row.id);
    if (!found) return [];
    const { id, cause, due } = found;
    const { accountId: account, definition } = row;
    const at = new Date(due).toISOString();
    const firing: Firing = { id, cron: row.id, account, definition, kind: 'queued', cause, at };
    return [{ row, firing, fireAt: 0 }];
  });
}
