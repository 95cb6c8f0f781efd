import { nextFiring } from '@gleaner/contracts';

/** A firing with at most this delay counts as on time. */
const ON_TIME_MS = 60_000;
/** The most missed firings with separate rows; only the latest get one. */
const MAX_MISSED = 100;
const HOUR_MS = 3_600_000;
/** How far back the latest due time is searched when too many were missed to count them. */
const LOOK_BACK_MS = [HOUR_MS, 48 * HOUR_MS, 35 * 24 * HOUR_MS, 400 * 24 * HOUR_MS];

/** A cron that is due. Times are milliseconds since 1970 by the database's clock. */
export interface DueCron {
  schedule: string;
  timezone: string;
  /** The due time that the table had. */
  due: number;
  now: number;
  /** Null: until the next due time. */
  catchupSeconds: number | null;
}

export interface FiringPlan {
  /** The due time to fire now; null when even the latest is too late. */
  at: number | null;
  cause: 'schedule' | 'catchup';
  /** Due times that do not fire, ascending. */
  missed: number[];
  /** More were missed before them. */
  hasMore: boolean;
  /** The next due time, after now; null when there is none. */
  next: number | null;
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
 * Plans the firing of a due cron. Of all passed due times, only the latest can fire, if it is on time or within the grace
 * period of missed firings.
 */
export function planFiring(cron: DueCron): FiringPlan {
  const whole = listDue(cron, cron.due, MAX_MISSED);
  const { times, next } = whole ?? listLatest(cron);
  const latest = times.at(-1) ?? cron.due;
  const lateMs = cron.now - latest;
  const limitMs = cron.catchupSeconds === null ? Infinity : cron.catchupSeconds * 1_000;
  const isOnTime = lateMs <= ON_TIME_MS;
  const fires = isOnTime || lateMs <= limitMs;
  const missed = fires ? times.slice(0, -1) : times;
  return {
    at: fires ? latest : null,
    cause: isOnTime ? 'schedule' : 'catchup',
    missed: missed.slice(-MAX_MISSED),
    hasMore: whole === undefined || missed.length > MAX_MISSED,
    next,
  };
}
