import { setTimeout as delay } from 'node:timers/promises';
import type { BatchRecord, ServerEvent } from '@gleaner/contracts';
import type { Context, Services } from '../../platform/context.ts';
import type { RunWatches } from './run-watches.ts';

const POLL_MS = 500;

export interface WatchServices extends Services {
  watches: RunWatches;
}

/** A run as clients see it, as far as progress needs it. */
type Watched = Pick<BatchRecord, 'status'> & { counts: Omit<BatchRecord['counts'], 'quarantined'> };

function isEnded({ status }: Watched): boolean {
  return status !== 'pending' && status !== 'running';
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
  const { watches } = ctx.services;
  return follow(ctx, await read(), () => watches.read(id, read));
}

async function* follow(
  ctx: Context,
  first: Watched,
  read: () => Promise<Watched>,
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
