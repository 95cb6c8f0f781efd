/** Waits between attempts, in seconds: tries at about 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours. */
const WAITS_SECONDS = [5, 295, 1500, 5400, 10_800, 18_000, 14_400, 21_600, 14_400] as const;
const ROUND_SECONDS = 24 * 3600;
const JITTER = 0.1;
/** The fewest attempts, even when the service was down for a day. */
const LEAST_TRIES = 3;

export interface FailedTry {
  /** Attempts in this round, including the failed one. */
  tries: number;
  /** When the round began. */
  roundAt: Date;
  now: Date;
  /** 0 to 1. */
  random: number;
}

/** When to try again; undefined after 24 hours or the last attempt. */
export function nextTryAt({ tries, roundAt, now, random }: FailedTry): Date | undefined {
  const wait = WAITS_SECONDS[tries - 1];
  if (wait === undefined) return undefined;
  const end = roundAt.getTime() + ROUND_SECONDS * 1000;
  const at = now.getTime() + wait * 1000 * (1 + JITTER * (2 * random - 1));
  if (at <= end) return new Date(at);
  return now.getTime() < end - 60_000 ? new Date(end) : tries < LEAST_TRIES ? new Date(at) : undefined;
}
