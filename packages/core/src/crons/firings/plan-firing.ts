import { nextFiring } from '@gleaner/contracts';
import { createId } from '../../platform/ids.ts';
import type { CronRow } from '../cron-record.ts';
import type { Firing } from './firing.ts';

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
