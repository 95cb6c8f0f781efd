import { setTimeout as delay } from 'node:timers/promises';
import type { BatchRecord, OperationInput, ServerEvent, watchBatch as operation } from '@gleaner/contracts';
import type { Context, Services } from '../../platform/context.ts';
import { readBatchRecord } from './batch-record.ts';
import type { BatchWatches } from './batch-watches.ts';

const POLL_MS = 500;

export interface WatchServices extends Services {
  watches: BatchWatches;
}

function isEnded({ status }: BatchRecord): boolean {
  return status !== 'pending' && status !== 'running';
}

/** The event's id. Equal states have equal ids, so that a client that reconnects gets no state twice. */
function stateId({ status, counts }: BatchRecord): string {
  return [status, counts.running, counts.succeeded, counts.failed, counts.cancelled].join('-');
}

/** Progress until the end. @throws AppError not_found, concurrency_limit_exceeded */
export async function watchBatch(
  ctx: Context<WatchServices>,
  { params }: OperationInput<typeof operation>,
): Promise<AsyncIterable<ServerEvent>> {
  const { db, watches } = ctx.services;
  ctx.signal.throwIfAborted();
  const close = watches.open(ctx.accountId);
  // The client may go away before anything reads the first event.
  ctx.signal.addEventListener('abort', close, { once: true });
  try {
    return watch(ctx, await readBatchRecord(db.orm, ctx.accountId, params.id), close);
  } catch (error) {
    close();
    throw error;
  }
}

async function* watch(
  ctx: Context<WatchServices>,
  first: BatchRecord,
  close: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const { db, watches } = ctx.services;
  try {
    yield* follow(ctx, first, () =>
      watches.read(first.id, () => readBatchRecord(db.orm, ctx.accountId, first.id)),
    );
  } finally {
    close();
  }
}

async function* follow(
  ctx: Context,
  first: BatchRecord,
  read: () => Promise<BatchRecord>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let known = ctx.lastEventId;
  let record = first;
  for (;;) {
    const id = stateId(record);
    if (isEnded(record)) {
      yield { id, event: 'finished', data: record };
      return;
    }
    if (id !== known) yield { id, event: 'progress', data: record };
    known = id;
    try {
      await delay(POLL_MS, undefined, { signal: ctx.signal });
    } catch {
      return;
    }
    record = await read();
  }
}
