import { createHash, timingSafeEqual } from 'node:crypto';
import type { RateLimiter } from '@gleaner/core';

/** Guesses of the password that one address has a minute. */
const GUESSES_PER_MINUTE = 30;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Compares a guess of the operator's password. Each guess counts before it is compared, and the right one is taken off
 * again: who is over the limit learns nothing, and who knows the password has no limit.
 * @throws AppError rate_limit_exceeded
 */
export async function checkPassword(
  rateLimiter: RateLimiter,
  address: string,
  { given, expected }: { given: string; expected: string },
): Promise<boolean> {
  const key = `operator:${address}`;
  await rateLimiter.consume(key, GUESSES_PER_MINUTE);
  if (!timingSafeEqual(digest(given), digest(expected))) return false;
  await rateLimiter.restore(key, GUESSES_PER_MINUTE);
  return true;
}
