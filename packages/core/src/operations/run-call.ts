import type { Operation } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { toCallAnswer, type CallAnswer, type CallResult } from './call-answer.ts';
import { parseInput, type CallInput } from './call-input.ts';
import { claimCall, keepClaim } from './claim-call.ts';
import type { OperationServices } from './operation-services.ts';
import type { OperationEntry, ParsedInput } from './operation-entry.ts';

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
    const answer = await counted(ctx, operation, hold, () => perform(ctx, entry, parsed));
    return { status: operation.answer.status, answer, isReplayed: false, credits: ctx.credits };
  } finally {
    // The key is freed before the answer is sent, because a client may use the key of a dry run again immediately.
    await releaseClaim();
  }
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
