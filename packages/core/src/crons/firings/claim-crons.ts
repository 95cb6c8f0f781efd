import { tables, type Database } from '@gleaner/db';
import { getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
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

/** Leases the crons that a SELECT finds, unless somebody holds them. */
function lease({ orm }: Database, found: SQL) {
  return orm
    .update(crons)
    .set({ leasedUntil: sql`now() + ${LEASE}::text::interval` })
    .where(sql`${crons.id} = ANY (ARRAY(${found} FOR UPDATE OF c SKIP LOCKED))`);
}

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
  const rows: ClaimedRow[] = await lease(
    db,
    sql`SELECT c.id FROM gleaner.crons c
      WHERE c.next_fire_at <= now() + ${AHEAD}::text::interval AND (c.leased_until IS NULL OR c.leased_until <= now())
      ORDER BY c.next_fire_at, c.account_id LIMIT ${limit}`,
  ).returning({
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

/** Leases crons that have a waiting firing and no unfinished run, each with the first of those firings. */
export async function claimQueued({ db }: SubmitServices, limit: number): Promise<ClaimedFiring[]> {
  const rows = await lease(
    db,
    sql`SELECT c.id FROM gleaner.crons c
      WHERE c.id IN (SELECT f.cron_id FROM gleaner.cron_firings f WHERE f.outcome = 'queued')
        AND (c.leased_until IS NULL OR c.leased_until <= now()) AND NOT EXISTS (
          SELECT 1 FROM gleaner.cron_firings f JOIN gleaner.runs r ON r.id = f.run_id
          WHERE f.cron_id = c.id AND f.is_live AND r.state IN ('pending', 'running'))
      LIMIT ${limit}`,
  ).returning({
    row: getTableColumns(crons),
    first: sql<{ id: string; due: string; cause: Firing['cause'] } | null>`(
      SELECT json_build_object('id', q.id, 'due', q.scheduled_at, 'cause', q.cause) FROM gleaner.cron_firings q
      WHERE q.cron_id = crons.id AND q.outcome = 'queued' ORDER BY q.scheduled_at LIMIT 1)`,
  });
  return rows.flatMap(({ row, first }) => {
    if (first === null) return [];
    const { id: cron, accountId: account, definition } = row;
    const at = new Date(first.due).toISOString();
    const firing: Firing = {
      id: first.id,
      cron,
      account,
      definition,
      kind: 'queued',
      cause: first.cause,
      at,
    };
    return [{ row, firing, fireAt: 0 }];
  });
}
