import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { withTimeout, type Operation, type ServerEvent } from '@gleaner/contracts';
import type { CallResult, ReservedBytes } from '@gleaner/core';
import type { FastifyReply } from 'fastify';

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
async function* toEventText(
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

/** Answers up to this size are not counted. */
const SMALL_BYTES = 65_536;

/**
 * Counts what a text takes until the client has it. What was charged is answered whatever it takes.
 * @throws AppError concurrency_limit_exceeded
 */
export function countText(
  text: string,
  { credits }: Pick<Operation, 'credits'>,
  reserved: ReservedBytes | null,
): string {
  if (text.length <= SMALL_BYTES || credits !== undefined) return text;
  reserved?.add(text.length);
  return text;
}

/**
 * A stream in pieces that a socket takes at once, so that of an export of which nobody reads only the last part is in
 * memory. It counts that part.
 * @throws AppError concurrency_limit_exceeded
 */
async function* inPieces(
  stream: AsyncIterable<string | Uint8Array>,
  reserved: ReservedBytes | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const part of stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    reserved?.add(bytes.length);
    for (let at = 0; at < bytes.length; at += SMALL_BYTES) yield bytes.subarray(at, at + SMALL_BYTES);
    reserved?.remove(bytes.length);
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Writes the result of a call.
 * @param signal ends an event stream when the client disconnects
 * @throws AppError concurrency_limit_exceeded when answers that the caller has not read take too much memory
 */
export function sendAnswer(
  operation: Operation,
  { status, answer, isReplayed, credits, fetchedBy, notes }: CallResult,
  reply: FastifyReply,
  signal: AbortSignal,
): FastifyReply {
  const reserved = reply.request.reservedBytes;
  reply.code(status);
  if (isReplayed) reply.header('idempotent-replay', 'true');
  if (credits) {
    reply.header('x-credits-used', String(credits.used));
    reply.header('x-credits-remaining', String(credits.remaining));
  }
  if (fetchedBy !== undefined) reply.header('x-fetched-by', fetchedBy);
  if (notes !== undefined) reply.header('x-notes', notes);
  switch (answer.kind) {
    case 'empty':
      return reply.send();
    case 'json-text':
      return reply.type(JSON_TYPE).send(countText(answer.jsonText, operation, reserved));
    case 'json': {
      const text = countText(JSON.stringify(answer.value), operation, reserved);
      if (operation.auth === 'public' && isKnown(reply, text)) return reply.code(304).send();
      return reply.type(JSON_TYPE).send(text);
    }
    case 'stream':
      if (answer.filename) reply.header('content-disposition', `attachment; filename="${answer.filename}"`);
      return reply
        .type(answer.contentType)
        .send(Readable.from(inPieces(answer.stream, reserved), { objectMode: false }));
    case 'events': {
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
      // Without it the headers would wait for the first event.
      const text = toEventText(answer.events, signal, () => reply.raw.flushHeaders());
      return reply.type('text/event-stream; charset=utf-8').send(Readable.from(text, { objectMode: false }));
    }
  }
}

/**
 * Lets clients cache and revalidate a text that is the same for everyone.
 * @returns whether the client has it: If-None-Match is `*`, or names it, weak or not (RFC 9110, 13.1.2 compares weakly)
 */
export function isKnown(reply: FastifyReply, text: string): boolean {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  reply.header('etag', etag).header('cache-control', 'public, max-age=60');
  const known = (reply.request.headers['if-none-match'] ?? '').split(',').map((part) => part.trim());
  return known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}
