import { cutText, ERRORS, type StoredError } from '@gleaner/contracts';
import type { RetryGroup } from '@gleaner/core';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** The longest wait that a target can request. */
const MAX_ASKED_MS = 600_000;
/** For this time after a run's start, its tasks may wait for busy hosts repeatedly. A host that is down must end the wait. */
const MAX_WAITING_RUN_MS = 30 * 60_000;

export interface Failure {
  seq: number;
  error: StoredError;
  retryAfterMs?: number | undefined;
  isUncounted?: boolean | undefined;
}

/** Whether the same task can succeed later. */
export function canHeal(error: StoredError): boolean {
  return error.retryable ?? ERRORS[error.code].retryable;
}

/** Back-off with jitter: between half and one and a half of 1, 2, 4, … seconds, at most a minute. */
export function backOffMs(tries: number, random: number): number {
  return Math.round(Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS) * (0.5 + random));
}

/** Whether a task may wait for its busy host without losing an attempt. @param run the run's number, which contains its time */
export function mayWait(run: string, retryAfterMs: number | undefined, now: number): boolean {
  return (retryAfterMs ?? 0) <= MAX_ASKED_MS && now - Number(BigInt(run) >> 20n) < MAX_WAITING_RUN_MS;
}

/**
 * Groups failed tasks into chunks for retries. Tasks with a delay from their target wait that long; the others share a
 * back-off.
 * @param tries how often these tasks failed before
 */
export function planRetries(failures: readonly Failure[], tries: number, random: number): RetryGroup[] {
  const backOff = backOffMs(tries, random);
  const groups = new Map<string, RetryGroup>();
  for (const { seq, error, retryAfterMs = 0, isUncounted = false } of failures) {
    const asked = Math.ceil(Math.min(retryAfterMs, MAX_ASKED_MS) / 5_000) * 5_000;
    const delayMs = Math.max(backOff, retryAfterMs > backOff ? asked : 0);
    const key = `${delayMs} ${isUncounted}`;
    const group = groups.get(key);
    if (group) group.seqs.push(seq);
    else
      groups.set(key, {
        seqs: [seq],
        delayMs,
        waitsFor: cutText(error.detail ?? ERRORS[error.code].text, 300),
        ...(isUncounted ? { isUncounted } : {}),
      });
  }
  return [...groups.values()];
}
