import type { Browser, Context } from '../platform/context.ts';
import type { Actor } from '../accounts/keys/authenticate.ts';
import type { RateLimitState } from '../platform/rate-limits/rate-limiter.ts';
import type { CallResult } from './call-answer.ts';
import type { CallInput } from './call-input.ts';
import type { OperationServices } from './operation-services.ts';
import type { OperationEntry } from './operation-entry.ts';
import { runCall } from './run-call.ts';

/** The caller, as a door knows it before it reads the input. */
export interface Caller {
  /** The IP address, which limits calls of public operations. */
  address: string;
  /**
   * Checks that the caller may call the operation. Not called for public operations.
   * @returns the account; undefined for the operator and before sign-in
   * @throws AppError unauthorized, not_allowed
   */
  authenticate: () => Promise<Actor | undefined>;
  /** Absent at doors without cookies. */
  browser?: Browser | undefined;
  /** Identifies the call in logs. */
  requestId: string;
  /** `traceparent` for work that the call asks for. */
  trace?: string | undefined;
  /** Aborted when the client disconnects before it has its answer. */
  signal: AbortSignal;
}

/** An admitted call: its caller is known and within the rate limit. */
export interface Call {
  readonly signal: AbortSignal;
  readonly rateLimit: RateLimitState;
  /**
   * Validates the input and performs the operation.
   * @throws AppError invalid_request with the invalid field, idempotency_conflict, concurrency_limit_exceeded, and the
   * operation's own errors
   */
  run(input: CallInput): Promise<CallResult>;
  /**
   * Releases the resources of the call. Every door calls it at least once, when the client has the whole answer or has
   * disconnected, also after `run` failed.
   */
  end(): void;
}

/**
 * Opens a call of an operation; all doors use it. Authenticates the caller and counts the call, so that a door can
 * reject the call before it reads a body.
 * @throws AppError unauthorized, rate_limit_exceeded (its state is in `limitStateOf`)
 */
export async function openCall(
  services: OperationServices,
  entry: OperationEntry,
  caller: Caller,
): Promise<Call> {
  const { requestId, trace, signal, browser } = caller;
  const { accountId, keyId, rateLimit } = await admit(services, entry, caller);
  const ctx: Context<OperationServices> = {
    services,
    accountId,
    keyId,
    requestId,
    trace,
    log: services.log,
    signal,
    browser,
  };
  const releases: (() => void)[] = [];
  let hasEnded = false;
  const hold = (release: () => void): void => {
    if (hasEnded) release();
    else releases.push(release);
  };
  return {
    signal,
    rateLimit,
    run: (input) => runCall({ ...ctx }, entry, input, hold),
    end: () => {
      hasEnded = true;
      for (const release of releases.splice(0)) release();
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
  const actor = operation.auth === 'public' ? undefined : await caller.authenticate();
  if (actor === undefined) {
    const rateLimit = await rateLimiter.consume(`ip:${caller.address}`, config.publicRequestsPerMinute);
    return { accountId: '', keyId: '', rateLimit };
  }
  const { accountId, keyId, requestsPerMinute } = actor;
  const rateLimit = await rateLimiter.consume(`key:${keyId}`, requestsPerMinute);
  return { accountId, keyId, rateLimit };
}
