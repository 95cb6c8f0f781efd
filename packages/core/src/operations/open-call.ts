import type { Context } from '../platform/context.ts';
import type { Actor } from '../accounts/keys/authenticate.ts';
import type { RateLimitState } from '../platform/rate-limits/rate-limiter.ts';
import type { CallResult } from './call-answer.ts';
import type { CallInput } from './call-input.ts';
import type { OperationServices } from './operation-services.ts';
import type { OperationEntry } from './pair.ts';
import { runCall } from './run-call.ts';

/** Who calls, as a door knows it before it reads the input. */
export interface Caller {
  /** IP address: calls of public operations are limited by it. */
  address: string;
  /** Resolves the caller's credential; not asked for public operations. @throws AppError unauthorized */
  authenticate: () => Promise<Actor>;
  /** Names the call in logs. */
  requestId: string;
  /** Aborted when the client goes away before it has its answer. */
  signal: AbortSignal;
}

/** A call that may go on: its caller is known and within the rate limit. */
export interface Call {
  readonly signal: AbortSignal;
  readonly rateLimit: RateLimitState;
  /**
   * Validates the input and performs the operation.
   * @throws AppError invalid_request with the wrong field, idempotency_conflict, concurrency_limit_exceeded, and those
   * of the operation
   */
  run(input: CallInput): Promise<CallResult>;
  /**
   * Gives back what the call holds. Every door calls it, once or more: when the client has the whole answer or has gone
   * away, whether `run` succeeded or not.
   */
  end(): void;
}

/**
 * The one way to call an operation, from any door. Authenticates the caller and counts the call, so that a door can
 * refuse before it reads a body.
 * @throws AppError unauthorized, rate_limit_exceeded (its state is in `limitStateOf`)
 */
export async function openCall(
  services: OperationServices,
  entry: OperationEntry,
  caller: Caller,
): Promise<Call> {
  const { requestId, signal } = caller;
  const { accountId, keyId, rateLimit } = await admit(services, entry, caller);
  const ctx: Context<OperationServices> = {
    services,
    accountId,
    keyId,
    requestId,
    log: services.log,
    signal,
  };
  const held: (() => void)[] = [];
  let hasEnded = false;
  const hold = (release: () => void): void => {
    if (hasEnded) release();
    else held.push(release);
  };
  return {
    signal,
    rateLimit,
    run: (input) => runCall({ ...ctx }, entry, input, hold),
    end: () => {
      hasEnded = true;
      for (const release of held.splice(0)) release();
    },
  };
}

interface Admitted {
  accountId: string;
  keyId: string;
  rateLimit: RateLimitState;
}

async function admit(
  services: OperationServices,
  { operation }: OperationEntry,
  caller: Caller,
): Promise<Admitted> {
  const { rateLimiter, config } = services;
  if (operation.auth === 'public') {
    const rateLimit = await rateLimiter.consume(`ip:${caller.address}`, config.publicRequestsPerMinute);
    return { accountId: '', keyId: '', rateLimit };
  }
  const { accountId, keyId, requestsPerMinute } = await caller.authenticate();
  const rateLimit = await rateLimiter.consume(`key:${keyId}`, requestsPerMinute);
  return { accountId, keyId, rateLimit };
}
