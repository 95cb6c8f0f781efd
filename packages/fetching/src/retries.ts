import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import type { HeaderMap } from './http/exchange.ts';
import { headerText } from './http/exchange.ts';
import { HostBusyError } from './politeness/host-busy.ts';

const BASE_DELAY_MS = 400;
const MAX_DELAY_MS = 15_000;
const DEFAULT_RETRIES = 2;

/** Statuses after which the same request may succeed. */
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527, 529]);

export function isTransientStatus(status: number): boolean {
  return TRANSIENT_STATUSES.has(status);
}

/**
 * Reads `Retry-After` in milliseconds: seconds (some servers send fractions) or an HTTP date, at most an hour.
 * `undefined` when the header is absent or unreadable.
 */
export function readRetryAfter(headers: HeaderMap, now = Date.now()): number | undefined {
  const text = headerText(headers, 'retry-after').trim();
  if (text === '') return undefined;
  const isNumber = /^\d+(\.\d*)?$/.test(text);
  // Date.parse reads -1 and 1.5x as days of the year 2001.
  const ms = isNumber
    ? Math.ceil(Number(text) * 1_000)
    : /[a-z]{3}/i.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), 3_600_000);
}

/** The total number of attempts of a request. */
export function attemptsOf(retries: number | undefined, mode: 'config' | 'none' | undefined): number {
  return mode === 'none' ? 1 : 1 + (retries ?? DEFAULT_RETRIES);
}

/** Exponential back-off with jitter, at least as long as the target's `Retry-After`. */
export function retryDelayMs(attempt: number, error: AppError, random = Math.random): number {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt);
  const jittered = ceiling * (0.5 + random() / 2);
  return Math.max(jittered, (error.options.retryAfterSeconds ?? 0) * 1_000);
}

export interface RetryOptions {
  attempts: number;
  deadlineAt: number;
  signal: AbortSignal;
}

/**
 * Runs `attempt` until it succeeds or fails permanently, the host is busy, or the next attempt could not begin before
 * the deadline. Throws the last AppError. Other errors, such as a cancelled signal, are thrown at once.
 */
export async function withRetries<Result>(
  options: RetryOptions,
  attempt: (number: number) => Promise<Result>,
): Promise<Result> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!(error instanceof AppError) || !error.retryable || number >= options.attempts) throw error;
      if (error instanceof HostBusyError) throw error;
      const delayMs = retryDelayMs(number - 1, error);
      if (Date.now() + delayMs >= options.deadlineAt) throw error;
      await sleep(delayMs, undefined, { signal: options.signal });
    }
  }
}
