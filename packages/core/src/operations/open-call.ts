import { isObject } from '@gleaner/contracts/values';
import type { Browser, Context } from '../platform/context.ts';
import type { Actor } from '../accounts/keys/key-ring.ts';
import {
  type CallResult,
  type OperationServices,
  type OperationEntry,
  toCallAnswer,
  type CallAnswer,
  type ParsedInput,
} from './operation-entry.ts';
import { type CallInput, parseInput } from './call-input.ts';
import { invalid } from '../platform/invalid-request.ts';
import { AppError, type Operation } from '@gleaner/contracts';
import {
  claimIdempotencyKey,
  idempotencyConflict,
  releaseIdempotencyKey,
  RENEW_CLAIM_MS,
  renewIdempotencyKey,
} from '../platform/idempotency/claim-key.ts';
import { addStored, readStored, refuseStoring, storesOf } from '../platform/stored/stored-bytes.ts';
import { resolveSlugs } from '../platform/slugs/resolve-slugs.ts';
import { hashParts } from '../platform/idempotency/hash-parts.ts';

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
export type Call = Awaited<ReturnType<typeof openCall>>;

/**
 * Opens a call of an operation; all doors use it. Authenticates the caller and counts the call, so that a door can
 * reject the call before it reads a body.
 * @throws AppError unauthorized, rate_limit_exceeded (its state is in `limitStateOf`)
 */
export async function openCall(services: OperationServices, entry: OperationEntry, caller: Caller) {
  const { requestId, trace, browser } = caller;
  const { rateLimit, ...account } = await admit(services, entry, caller);
  const watched = account.keyId === '' ? undefined : services.keys.watch(account.keyId, caller.signal);
  const signal = watched?.signal ?? caller.signal;
  const ctx: Context<OperationServices> = {
    services,
    ...account,
    requestId,
    trace,
    log: services.log,
    signal,
    browser,
  };
  let hasEnded = false;
  let release = (): void => undefined;
  return {
    /** Aborted when the client has disconnected or its key was revoked. */
    signal,
    rateLimit,
    /**
     * Validates the input and performs the operation.
     * @throws AppError invalid_request with the invalid field, idempotency_conflict, concurrency_limit_exceeded, and the
     * operation's own errors
     */
    run: (input: CallInput): Promise<CallResult> =>
      runCall({ ...ctx }, entry, input, (close) => {
        release = close;
        if (hasEnded) close();
      }),
    /**
     * Releases the resources of the call. Every door calls it at least once, when the client has the whole answer or has
     * disconnected, also after `run` failed.
     */
    end: (): void => {
      hasEnded = true;
      watched?.close();
      release();
    },
  };
}

async function admit(services: OperationServices, { operation }: OperationEntry, caller: Caller) {
  const { rateLimiter, config } = services;
  const actor = operation.auth === 'public' ? undefined : await caller.authenticate();
  if (actor === undefined) {
    const rateLimit = await rateLimiter.consume(`ip:${caller.address}`, config.publicRequestsPerMinute);
    return { accountId: '', keyId: '', rateLimit };
  }
  const { accountId, keyId, requestsPerMinute } = actor;
  return {
    accountId,
    keyId,
    rateLimit: await rateLimiter.consume(`account:${accountId}`, requestsPerMinute),
  };
}

const MAX_KEY_CHARACTERS = 255;

/**
 * Claims the Idempotency-Key of a call that creates. Afterwards the context holds the claim, and the input's upload is
 * hashed while it is read. Does nothing for other calls and calls without a key.
 * @returns the answer of an earlier call with this key, if there is one
 * @throws AppError invalid_request for a key of the wrong length, idempotency_conflict
 */
async function claimCall(
  ctx: Context,
  operation: Operation,
  input: ParsedInput,
  key: string | undefined,
): Promise<CallResult | undefined> {
  if (operation.creates !== true || key === undefined) return undefined;
  if (key === '' || key.length > MAX_KEY_CHARACTERS)
    throw invalid('Idempotency-Key', `must have 1 to ${MAX_KEY_CHARACTERS} characters`);
  const { params, query, body, upload } = input;
  const hashed = upload === undefined ? undefined : hashParts(upload);
  if (hashed) input.upload = hashed.parts;
  const claimed = await claimIdempotencyKey(ctx.services.db, {
    accountId: ctx.accountId,
    key,
    operation: operation.id,
    content: { params, query, body },
    uploadDigest: hashed?.digest,
    status: operation.answer.status,
    signal: ctx.signal,
    ...(operation.showsSecret === true ? { secretKey: ctx.services.config.secretKey } : {}),
  });
  if (claimed.kind === 'replay') {
    if (hashed) {
      await hashed.drain();
      const first = claimed.uploadDigest;
      if (first === null || !hashed.digest().equals(first)) throw idempotencyConflict();
    }
    const { status, answer } = claimed;
    return { status, answer: { kind: 'json', value: answer }, isReplayed: true, credits: undefined };
  }
  ctx.idempotency = claimed.claim;
  return undefined;
}

/**
 * Renews the context's claim, if any, until the returned function is called. That function also frees the key of a call
 * that failed or created nothing, and keeps a recorded answer. It never rejects: a claim that is no longer renewed
 * expires.
 */
function keepClaim({ services, idempotency }: Context): () => Promise<void> {
  if (idempotency === undefined) return () => Promise.resolve();
  const { db, log } = services;
  const renewal = setInterval(() => {
    renewIdempotencyKey(db, idempotency).catch((error: unknown) =>
      log.warn({ err: error }, 'could not renew an idempotency key'),
    );
  }, RENEW_CLAIM_MS);
  return async () => {
    clearInterval(renewal);
    await releaseIdempotencyKey(db, idempotency).catch((error: unknown) =>
      log.warn({ err: error }, 'could not free an idempotency key'),
    );
  };
}

/**
 * Performs an operation for an admitted caller; see `Call.run`.
 * @param hold registers the function to call when the client has the whole answer or has disconnected
 */
export async function runCall(
  ctx: Context<OperationServices>,
  entry: OperationEntry,
  input: CallInput,
  hold: (release: () => void) => void,
): Promise<CallResult> {
  const { operation } = entry;
  await requireStorage(ctx, operation);
  const parsed = await parseInput(operation, input);
  ctx.lastEventId = input.lastEventId;
  const earlier = await claimCall(ctx, operation, parsed, input.idempotencyKey);
  if (earlier) return earlier;
  const releaseClaim = keepClaim(ctx);
  try {
    await resolveSlugs(ctx, [
      [operation.params, parsed.params],
      [operation.query, parsed.query],
      [operation.body, parsed.body],
    ]);
    const answer = await counted(ctx, operation, hold, () => perform(ctx, entry, parsed));
    await noteStored(ctx, operation, parsed);
    return { status: statusOf(operation, answer), answer, isReplayed: false, ...saidBy(ctx) };
  } finally {
    // The key is freed before the answer is sent, because a client may use the key of a dry run again immediately.
    await releaseClaim();
  }
}

function saidBy({ credits, fetchedBy, notes }: Context): Pick<CallResult, 'credits' | 'fetchedBy' | 'notes'> {
  return { credits, fetchedBy, notes };
}

/** @throws AppError plan_limit_exceeded: the account stores as much as it may; temporarily_unavailable: the disk is full */
async function requireStorage({ services, accountId }: Context, operation: Operation): Promise<void> {
  const what = storesOf(operation);
  if (what === undefined) return;
  const refusal = refuseStoring(await readStored(services.db, accountId), what, services.config);
  if (refusal) throw refusal;
}

/** Adds what a call stored to the sum of its account at once; runs count their own. After a deletion it is measured again. */
async function noteStored(
  { services, accountId, log, storedBytes }: Context,
  operation: Operation,
  { body }: ParsedInput,
): Promise<void> {
  const what = storesOf(operation);
  const hasRemoved = operation.method === 'DELETE' && operation.auth === 'key';
  if (what !== 'records' && !hasRemoved) return;
  const bytes = hasRemoved ? 0 : (storedBytes ?? JSON.stringify(body ?? '').length);
  await addStored(services.db, accountId, { bytes, isFree: what === 'records' }).catch((error: unknown) =>
    log.warn({ err: error }, 'stored bytes were not added; the scheduler will measure them'),
  );
}

/** A dry run has created and accepted nothing. */
function statusOf({ answer: declared }: Operation, answer: CallAnswer): number {
  const hasDryRun = declared.kind === 'json' && declared.dryRun !== undefined;
  const isDryRun = answer.kind === 'json' && isObject(answer.value) && answer.value['dry_run'] === true;
  return hasDryRun && isDryRun ? 200 : declared.status;
}

/**
 * Counts a streamed answer from before its creation until the call ends.
 * @throws AppError concurrency_limit_exceeded, or the signal's reason when the client has disconnected
 */
async function counted<T>(
  { services, accountId, signal }: Context<OperationServices>,
  { answer }: Operation,
  hold: (release: () => void) => void,
  work: () => Promise<T>,
): Promise<T> {
  // An answer that may be a stream may also wait.
  const kind = answer.kind === 'json' && answer.streams ? 'events' : answer.kind;
  if (kind !== 'stream' && kind !== 'events') return work();
  signal.throwIfAborted();
  const close = services.streams.open(accountId, kind);
  hold(close);
  try {
    return await work();
  } catch (error) {
    close();
    throw error;
  }
}

/** What was not found is, unless it says otherwise, what the first part of the path names. */
function withField(error: unknown, { params }: Operation): unknown {
  const isNamed =
    !(error instanceof AppError) || error.code !== 'not_found' || error.options.field !== undefined;
  const [first] = Object.keys(params?.shape ?? {});
  return isNamed || first === undefined
    ? error
    : new AppError('not_found', { ...error.options, field: first });
}

async function perform(
  ctx: Context<OperationServices>,
  { operation, perform: run }: OperationEntry,
  input: ParsedInput,
): Promise<CallAnswer> {
  const inShare = async <T>(work: () => Promise<T>): Promise<T> =>
    operation.fairShare === undefined ? work() : ctx.services.fairShare.run(ctx.accountId, work, ctx.signal);
  const answer = toCallAnswer(
    operation,
    await inShare(async () => run(ctx, input)).catch((error: unknown) => {
      throw withField(error, operation);
    }),
  );
  return answer.kind === 'stream' && operation.fairShare === 'each-page'
    ? { ...answer, stream: readInShare(answer.stream, inShare) }
    : answer;
}

/** Reads each page within the account's fair share, and releases the share while the client reads the page. */
async function* readInShare<T>(
  pages: AsyncIterable<T>,
  inShare: <R>(work: () => Promise<R>) => Promise<R>,
): AsyncGenerator<T, void, undefined> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await inShare(() => iterator.next());
      if (page.done === true) return;
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}
