import { withTimeout, type ServerEvent } from '@gleaner/contracts';

/** Proxies cut connections that are silent for long. */
const KEEP_ALIVE_MS = 15_000;

function format({ id, event, data }: ServerEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Server-sent events as text (https://html.spec.whatwg.org/multipage/server-sent-events.html), with comments while nothing
 * happens.
 * @param onStart runs when somebody begins to read
 */
export async function* toEventText(
  events: AsyncIterable<ServerEvent>,
  signal: AbortSignal,
  onStart: () => void,
): AsyncGenerator<string, void, undefined> {
  onStart();
  const iterator = events[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    while (!signal.aborted) {
      const winner = await withTimeout(next, KEEP_ALIVE_MS, () => undefined);
      if (winner === undefined) {
        yield ': keep-alive\n\n';
        continue;
      }
      if (winner.done === true) return;
      yield format(winner.value);
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}
