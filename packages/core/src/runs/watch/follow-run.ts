import { type ServerEvent, hasEnded } from '@gleaner/contracts';
import type { Context, Services } from '../../platform/context.ts';
import type { RunWatches, Watched } from './run-watches.ts';

export interface WatchServices extends Services {
  watches: RunWatches;
}

/** The event's id. Equal states have equal ids, so that a client that reconnects gets no state twice. */
function stateId({ status, counts }: Watched): string {
  return [status, counts.running, counts.succeeded, counts.failed, counts.cancelled].join('-');
}

/**
 * Progress of a run until its end, or until the call's signal is aborted.
 * @throws what `read` throws for the first time, AppError not_found
 */
export async function followRun<R extends Watched>(
  ctx: Context<WatchServices>,
  id: string,
  read: () => Promise<R>,
): Promise<AsyncIterable<ServerEvent>> {
  return follow(ctx, await read(), id, read);
}

async function* follow(
  ctx: Context<WatchServices>,
  first: Watched,
  runId: string,
  read: () => Promise<Watched>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let known = ctx.lastEventId;
  const toEvent = (record: Watched): ServerEvent | undefined => {
    const id = stateId(record);
    if (hasEnded(record.status)) return { id, event: 'finished', data: record };
    if (id === known) return undefined;
    known = id;
    return { id, event: 'progress', data: record };
  };
  const begun = toEvent(first);
  if (begun !== undefined) yield begun;
  if (hasEnded(first.status)) return;
  for await (const record of ctx.services.watches.follow(runId, first, read, ctx.signal)) {
    const event = toEvent(record);
    if (event !== undefined) yield event;
    if (hasEnded(record.status)) return;
  }
}
