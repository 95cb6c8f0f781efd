import { nextFiring } from '@gleaner/contracts';
import { createId } from '../../platform/ids.ts';
import type { CronRow } from '../cron-submission.ts';
import type { Firing } from './fire-group.ts';
import { tables, type Database } from '@gleaner/db';
import { getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import type { SubmitServices } from '../../runs/submission/run-services.ts';

/** A firing with at most this delay counts as on time. */
const ON_TIME_MS = 60_000;
/** The most missed firings with separate rows; only the latest get one. */
const MAX_MISSED = 100;
const HOUR_MS = 3_600_000;
/** How far back the latest due time is searched when too many were missed to count them. */
const LOOK_BACK_MS = [HOUR_MS, 48 * HOUR_MS, 35 * 24 * HOUR_MS, 400 * 24 * HOUR_MS];

/** A cron that is due. Times are milliseconds since 1970 by the database's clock. */
interface DueCron extends Pick<CronRow, 'schedule' | 'timezone'> {
  /** The due time that the table had. */
  due: number;
  now: number;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Due times from `from` up to now, and the first one afterwards. Undefined for more than `limit`. */
function listDue(
  cron: DueCron,
  from: number,
  limit: number,
): { times: number[]; next: number | null } | undefined {
  const times = [from];
  for (;;) {
    const next = nextFiring(cron.schedule, cron.timezone, times.at(-1) ?? from);
    if (next === null || next > cron.now) return { times, next };
    times.push(next);
    if (times.length > limit) return undefined;
  }
}

/** The same for many due times: only the latest. */
function listLatest(cron: DueCron): { times: number[]; next: number | null } {
  for (const back of LOOK_BACK_MS) {
    const from = nextFiring(cron.schedule, cron.timezone, Math.max(cron.due, cron.now - back));
    if (from !== null && from <= cron.now) {
      const listed = listDue(cron, from, Infinity);
      if (listed) return listed;
    }
  }
  return { times: [cron.due], next: nextFiring(cron.schedule, cron.timezone, cron.now) };
}

/**
 * The firing of a cron that was due at `due`. Of all passed due times, only the latest can fire, if it is on time or within
 * the grace period of missed firings.
 */
export function planFiring(row: CronRow, due: number, now: number): Firing {
  const { id: cron, accountId: account, definition, schedule, timezone, catchupSeconds } = row;
  const whole = listDue({ schedule, timezone, due, now }, due, MAX_MISSED);
  const { times, next } = whole ?? listLatest({ schedule, timezone, due, now });
  const latest = times.at(-1) ?? due;
  const isOnTime = now - latest <= ON_TIME_MS;
  const fires = isOnTime || now - latest <= (catchupSeconds ?? Infinity) * 1_000;
  const passed = fires ? times.slice(0, -1) : times;
  const hasMore = whole === undefined || passed.length > MAX_MISSED;
  // Before the firing's own id: lists are in the order of ids.
  const missed = passed.slice(-MAX_MISSED).map((time, index) => ({
    id: createId('firing'),
    at: toIso(time),
    reason: hasMore && index === 0 ? 'no scheduler ran; earlier ones were missed too' : 'no scheduler ran',
  }));
  return {
    id: createId('firing'),
    cron,
    account,
    definition,
    kind: 'due',
    cause: isOnTime ? 'schedule' : 'catchup',
    at: fires ? toIso(latest) : null,
    claimed: toIso(due),
    next: next === null ? null : toIso(next),
    missed,
  };
}

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
  if (faulty.length > 0)
    await db.orm
      .update(crons)
      .set({ leasedUntil: sql`now() + ${FAULTY_LEASE}::text::interval` })
      .where(inArray(crons.id, faulty));
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
    const { id, cause } = first;
    return [{ row, firing: { id, cron, account, definition, kind: 'queued', cause, at }, fireAt: 0 }];
  });
}
