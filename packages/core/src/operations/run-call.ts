import type { Operation } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { toCallAnswer, type CallAnswer, type CallResult } from './call-answer.ts';
import { parseInput, type CallInput } from './call-input.ts';
import { claimCall, keepClaim } from './claim-call.ts';
import type { OperationServices } from './operation-services.ts';
import type { OperationEntry, ParsedInput } from './pair.ts';

/**
 * Performs an operation for a caller that was admitted; `Call.run` documents it.
 * @param hold keeps a function that is called when the client has the whole answer or has gone away
 */
export async function runCall(
  ctx: Context<OperationServices>,
  entry: OperationEntry,
  input: CallInput,
  hold: (release: () => void) => void,
): Promise<CallResult> {
  const { operation } = entry;
  const parsed = parseInput(operation, input);
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
    // Before the answer goes out: a client may use the key of a dry run again at once.
    await releaseClaim();
  }
}

/**
 * Counts an answer that is a stream from before it is made until the call ends.
 * @throws AppError concurrency_limit_exceeded; the signal's reason when the client has gone
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

/** The same pages; each is read within the account's fair share, and none is held while the client reads it. */
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
