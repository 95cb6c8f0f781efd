import { invalid } from '../platform/invalid-request.ts';
import { type Operation } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { toCallAnswer, type CallAnswer, type CallResult } from './call-answer.ts';
import { parseInput, type CallInput } from './call-input.ts';
import type { OperationServices } from './operation-services.ts';
import type { OperationEntry, ParsedInput } from './operation-entry.ts';
import {
  claimIdempotencyKey,
  idempotencyConflict,
  releaseIdempotencyKey,
  RENEW_CLAIM_MS,
  renewIdempotencyKey,
} from '../platform/idempotency/claim-key.ts';
import { resolveSlugs } from '../platform/slugs/resolve-slugs.ts';
import { hashParts, type HashedParts } from '../platform/idempotency/hash-parts.ts';

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
): Promise<{ status: number; answer: unknown } | undefined> {
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
    if (hashed) await requireSameUpload(hashed, claimed.uploadDigest);
    return { status: claimed.status, answer: claimed.answer };
  }
  ctx.idempotency = claimed.claim;
  return undefined;
}

async function requireSameUpload(upload: HashedParts, first: Uint8Array | null): Promise<void> {
  await upload.drain();
  if (first === null || !upload.digest().equals(first)) throw idempotencyConflict();
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
 * @param hold registers a function to call when the client has the whole answer or has disconnected
 */
export async function runCall(
  ctx: Context<OperationServices>,
  entry: OperationEntry,
  input: CallInput,
  hold: (release: () => void) => void,
): Promise<CallResult> {
  const { operation } = entry;
  const parsed = await parseInput(operation, input);
  ctx.lastEventId = input.lastEventId;
  const earlier = await claimCall(ctx, operation, parsed, input.idempotencyKey);
  if (earlier) {
    const { status, answer } = earlier;
    return { status, answer: { kind: 'json', value: answer }, isReplayed: true, credits: undefined };
  }
  const releaseClaim = keepClaim(ctx);
  try {
    await resolveSlugs(ctx, [
      [operation.params, parsed.params],
      [operation.query, parsed.query],
      [operation.body, parsed.body],
    ]);
    const answer = await counted(ctx, operation, hold, () => perform(ctx, entry, parsed));
    return { status: statusOf(operation, answer), answer, isReplayed: false, credits: ctx.credits };
  } finally {
    // The key is freed before the answer is sent, because a client may use the key of a dry run again immediately.
    await releaseClaim();
  }
}

function isDryRun(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'dry_run' in value && value.dry_run === true;
}

/** A dry run has created and accepted nothing. */
function statusOf({ answer: declared }: Operation, answer: CallAnswer): number {
  const hasDryRun = declared.kind === 'json' && declared.dryRun !== undefined;
  return hasDryRun && answer.kind === 'json' && isDryRun(answer.value) ? 200 : declared.status;
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
  if (answer.kind !== 'stream' && answer.kind !== 'events') return work();
  signal.throwIfAborted();
  const close = services.streams.open(accountId, answer.kind);
  hold(close);
  try {
    return await work();
  } catch (error) {
    close();
    throw error;
  }
}

async function perform(
  ctx: Context<OperationServices>,
  { operation, perform: run }: OperationEntry,
  input: ParsedInput,
): Promise<CallAnswer> {
  const call = async (): Promise<unknown> => run(ctx, input);
  if (operation.fairShare === undefined) return toCallAnswer(operation, await call());
  const inShare = <T>(work: () => Promise<T>): Promise<T> =>
    ctx.services.fairShare.run(ctx.accountId, work, ctx.signal);
  const answer = toCallAnswer(operation, await inShare(call));
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
