/** Waits between attempts, in seconds: tries at about 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours. */
const WAITS_SECONDS = [5, 295, 1500, 5400, 10_800, 18_000, 14_400, 21_600, 14_400] as const;
export const ROUND_MS = 24 * 3_600_000;
const JITTER = 0.1;
/** The fewest attempts, even when the service was down for a day. */
const LEAST_TRIES = 3;

export interface FailedTry {
  /** Attempts in this round, including the failed one. */
  tries: number;
  /** Time since the round began. */
  ageMs: number;
  /** 0 to 1. */
  random: number;
}

/** The wait before the next attempt, in ms; undefined after 24 hours or the last attempt. */
export function waitMs({ tries, ageMs, random }: FailedTry): number | undefined {
  const seconds = WAITS_SECONDS[tries - 1];
  if (seconds === undefined) return undefined;
  const wait = seconds * 1000 * (1 + JITTER * (2 * random - 1));
  const left = ROUND_MS - ageMs;
  if (wait <= left) return wait;
  return left > 60_000 ? left : tries < LEAST_TRIES ? wait : undefined;
}
