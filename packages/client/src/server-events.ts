import type { EventSourceMessage } from 'eventsource-parser';
import { bodyOf, textOf } from './download.ts';
import { GleanerError } from './errors.ts';

export interface ServerEvent<T> {
  /** Identifies the state. Send it as `Last-Event-ID` to continue from there. */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: T;
}

/** The service sends a comment every 15 seconds, so a longer silence means a dead connection. */
const MOST_SILENCE_MS = 45_000;

async function withinSilence<T>(next: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new GleanerError({ status: 0, code: 'timed out', detail: 'the events stopped' })),
      MOST_SILENCE_MS,
    );
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Events of a response until its end. The caller closes the connection when it stops reading. */
export async function* readEvents<T>(response: Response): AsyncGenerator<ServerEvent<T>, void, undefined> {
  // Few callers read events, and the dashboard's first page is small without them.
  const { createParser } = await import('eventsource-parser');
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void arrived.push(message) });
  const chunks = textOf(bodyOf(response));
  for (;;) {
    const { done, value } = await withinSilence(chunks.next());
    if (done === true) return;
    parser.feed(value);
    for (const { id, event, data } of arrived.splice(0)) {
      // The operation defines the data of its events.
      yield { id, event: event ?? 'message', data: JSON.parse(data) as T };
    }
  }
}
