import type { Socket } from 'node:net';

/** Far more than a page of rows. A larger answer is a row that is too large to return, or an attempt to fill our memory. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const CHECK_MS = 100;

/**
 * Closes a connection when its server sends more than `maxBytes` in answer to one query, because the driver keeps an
 * answer in memory until it is complete. Polls the byte count, because a listener would take the bytes from TLS.
 */
export function boundAnswers<S extends Socket>(socket: S, maxBytes = MAX_ANSWER_BYTES): S {
  let written = socket.bytesWritten;
  let read = socket.bytesRead;
  const watching = setInterval(() => {
    if (socket.destroyed) clearInterval(watching);
    else if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      read = socket.bytesRead;
    } else if (socket.bytesRead - read > maxBytes) socket.destroy();
  }, CHECK_MS);
  watching.unref();
  return socket;
}
