import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, cutText } from '@gleaner/contracts';
import { createId } from '@gleaner/core';
import type { onRequestHookHandler, onSendHookHandler } from 'fastify';
import { watchBody } from './count-body.ts';

/** Codes of Node's HTTP parser: https://nodejs.org/api/http.html#event-clienterror */
const FAULTS: Readonly<Record<string, { field?: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: { field: 'headers', detail: 'the headers and the path are larger than 16 KB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    field: 'body',
    detail: 'the body has chunk extensions that are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { detail: 'the request did not arrive in time' },
};

const MALFORMED = { detail: 'the request is not valid HTTP' };

/** Answers malformed requests, which never reach a route, in the shape of every other error. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = new AppError('invalid_request', FAULTS[error.code ?? ''] ?? MALFORMED);
  const body = JSON.stringify(failure.toBody());
  const head = [
    `HTTP/1.1 ${failure.status} Bad Request`,
    `X-Request-Id: ${createId('request')}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Answers an unsupported Expect header in the shape of every other error. */
export function answerUnexpected({ headers }: IncomingMessage, response: ServerResponse): void {
  const failure = new AppError('expectation_failed', {
    field: 'Expect',
    detail: `${JSON.stringify(cutText(String(headers.expect), 100))} is not supported`,
  });
  response.writeHead(failure.status, {
    'x-request-id': createId('request'),
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  });
  response.end(JSON.stringify(failure.toBody()));
}

/**
 * A hook that closes the connection after a request to upgrade it, which is answered like any other request. Node's parser
 * reads nothing more from such a connection, so a further request on it would wait for an answer until the time limit.
 */
export const refuseUpgrade: onRequestHookHandler = ({ headers }, reply, done) => {
  if (headers.upgrade !== undefined) reply.header('connection', 'close');
  done();
};

/**
 * A hook that ends a connection with more than `most` requests that wait for their answers: they arrive in one piece and
 * would be handled before those of any other connection. Clients wait for an answer before they send the next request.
 */
export function limitPipelined(most: number): onRequestHookHandler {
  const waiting = new WeakMap<Socket, number>();
  return ({ raw: { socket } }, reply, done) => {
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > most || socket.destroyed) {
      reply.hijack();
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    reply.raw.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    done();
  };
}

/** Whether a request comes with a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** How often a connection is looked at before it has stood still for too long. */
const LOOKS = 4;

/** The bytes that the client's side took of what was written: Node's own timeouts of sockets see progress by this number. */
function bytesTaken(socket: Socket): number {
  const handle = (socket as { _handle?: { bytesWritten?: number; writeQueueSize?: number } | null })._handle;
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}

/**
 * Ends the connection of a response when it stands still for `silenceMs`. It counts looks, not time: an event loop that
 * was busy for minutes saw no bytes come or go, and looks once when it is free again.
 * @param progress bytes so far; undefined while nothing is expected of the client
 */
function endWhenStill(
  socket: Socket,
  response: ServerResponse,
  silenceMs: number,
  progress: () => number | undefined,
): void {
  let before: number | undefined;
  let still = 0;
  const timer = setInterval(() => {
    const now = progress();
    still = now !== undefined && now === before ? still + 1 : 0;
    before = now;
    if (still >= LOOKS) socket.destroy();
  }, silenceMs / LOOKS).unref();
  response.once('close', () => clearInterval(timer));
}

/**
 * A hook that ends the connection of a request when no data of its body arrived for `silenceMs`, unless the server itself
 * doesn't read. The total time is not limited.
 */
export function endStalledBodies(silenceMs: number): onRequestHookHandler {
  return ({ raw }, reply, done) => {
    const { socket, headers } = raw;
    if (hasBody(headers)) {
      endWhenStill(socket, reply.raw, silenceMs, () =>
        raw.complete || raw.readableLength > 0 ? undefined : socket.bytesRead,
      );
    }
    done();
  };
}

/**
 * A hook that ends a connection when its client took nothing of a response for `silenceMs`, so that responses don't
 * accumulate in memory. It doesn't apply while there is nothing to read, and the total time is not limited.
 */
export function endUnreadAnswers(silenceMs: number): onSendHookHandler {
  return ({ raw: { socket } }, reply, payload, done) => {
    endWhenStill(socket, reply.raw, silenceMs, () =>
      socket.writableLength > 0 ? bytesTaken(socket) : undefined,
    );
    done(null, payload);
  };
}

/**
 * A hook that reads and drops what a client still sends of its body when it gets its response early, for at most
 * `withinMs`, unless it comes in tiny pieces. A connection closed before would be reset, and most clients would report
 * that in place of the response.
 */
export function dropRestOfBody(withinMs: number): onSendHookHandler {
  return ({ raw }, reply, payload, done) => {
    if (!raw.complete && hasBody(raw.headers)) {
      // Fastify closes the connection after an error in the body, and with it what the client has not read.
      reply.removeHeader('connection');
      // Before the end of the answer: Node would drop the pieces of a body that nobody reads without a word.
      const isCrumbling = watchBody();
      raw.on('data', (piece: Uint8Array) => {
        if (isCrumbling(piece)) raw.socket.destroy();
      });
      reply.raw.once('finish', () => {
        const timer = setTimeout(() => raw.socket.destroy(), withinMs).unref();
        for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer));
        raw.unpipe();
        raw.resume();
      });
    }
    done(null, payload);
  };
}
