import { createHash, timingSafeEqual } from 'node:crypto';
import type { RateLimiter } from '../../platform/rate-limits/rate-limiter.ts';

/** Password guesses per minute and IP address. */
const GUESSES_PER_MINUTE = 30;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Compares a guess of the operator's password. Each guess is counted before the comparison, and a correct guess is
 * subtracted again: above the limit, a client learns nothing, and a client that knows the password has no limit.
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
