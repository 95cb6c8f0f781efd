import { GleanerError, isGleanerError } from './errors.ts';
import { UNFINISHED_STATES } from './contracts.ts';
import { pause } from './pause.ts';
import type { ServerEvent } from './server-events.ts';

export interface WaitOptions<R> {
  /** Ends the waiting with the signal's reason. The work continues. */
  signal?: AbortSignal;
  /** Called with the record immediately and after each change. */
  onProgress?: (record: R) => void;
  /** Called when the service gives no answer, before the next attempt. What it throws ends the waiting. */
  onTrouble?: (error: GleanerError) => void;
  /** The longest wait between two reads of the record. Default 5 s. */
  pollMs?: number;
}

export interface WaitSource<R> {
  read(): Promise<R>;
  /** Progress events, if the resource has them. */
  watch?: ((lastEventId: string | undefined) => AsyncIterable<ServerEvent<R>>) | undefined;
}

const FIRST_POLL_MS = 500;
const DEFAULT_POLL_MS = 5_000;
/** Proxies can block events. After this many streams without an event, the record is polled instead. */
const MOST_EMPTY_STREAMS = 2;
/** The wait ends when the service is unavailable for longer. */
const MOST_FAILING_MS = 300_000;

function isEnded(record: unknown): boolean {
  const { status } = record as { status: string };
  return !UNFINISHED_STATES.includes(status);
}

/** Whether the failure is temporary: no response, too many requests, or a fault of the service. */
function canPass(error: unknown): error is GleanerError {
  return isGleanerError(error) && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Follows a record until it has ended: by events if they arrive, else by polling. */
export async function waitForEnd<R>(source: WaitSource<R>, options: WaitOptions<R> = {}): Promise<R> {
  const { signal, onProgress, onTrouble, pollMs = DEFAULT_POLL_MS } = options;
  let known = '';
  let lastEventId: string | undefined;
  let emptyStreams = 0;
  let failingSince: number | undefined;
  let delay = Math.min(pollMs, FIRST_POLL_MS);

  const report = (record: R): void => {
    const text = JSON.stringify(record);
    if (text !== known) {
      delay = Math.min(pollMs, FIRST_POLL_MS);
      onProgress?.(record);
    }
    known = text;
  };
  const tolerate = (error: unknown): void => {
    signal?.throwIfAborted();
    failingSince ??= Date.now();
    if (!canPass(error) || Date.now() - failingSince > MOST_FAILING_MS) throw error;
    onTrouble?.(error);
  };
  const follow = async (): Promise<R | undefined> => {
    let hasCome = false;
    try {
      for await (const { id, data } of source.watch?.(lastEventId) ?? []) {
        hasCome = true;
        lastEventId = id;
        failingSince = undefined;
        report(data);
        if (isEnded(data)) return data;
      }
    } catch (error) {
      tolerate(error);
    }
    emptyStreams = hasCome ? 0 : emptyStreams + 1;
    return undefined;
  };

  for (;;) {
    if (source.watch && emptyStreams < MOST_EMPTY_STREAMS) {
      const ended = await follow();
      if (ended !== undefined) return ended;
    }
    try {
      const record = await source.read();
      failingSince = undefined;
      report(record);
      if (isEnded(record)) return record;
    } catch (error) {
      tolerate(error);
    }
    await pause(delay, signal);
    delay = Math.min(pollMs, delay * 1.5);
  }
}

/** The id of a record, or the given id. */
export function idOf(record: string | { readonly id: string }): string {
  const id = typeof record === 'string' ? record : record.id;
  if (typeof id === 'string' && id !== '') return id;
  throw new GleanerError({ status: 0, code: 'invalid request', detail: 'the record has no id' });
}
