import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError, type JsonText, type Operation, type StreamAnswer } from '@gleaner/contracts';
import {
  claimIdempotencyKey,
  idempotencyConflict,
  RENEW_CLAIM_MS,
  releaseIdempotencyKey,
  renewIdempotencyKey,
  type Context,
} from '@gleaner/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint, ErasedInput } from '../endpoint.ts';
import type { ApiServices } from '../services.ts';
import { readApiKey } from './api-key.ts';
import { hashParts, type HashedParts } from './hash-parts.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';
import { readBoundary, readParts } from './read-parts.ts';
import { toEventText } from './server-events.ts';
import { validate } from './validate.ts';

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

/** Aborted when the client goes away before it has its answer. */
function clientSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function openContext(
  services: ApiServices,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Context<ApiServices>> {
  const base = { services, requestId: request.id, log: services.log, signal: clientSignal(reply) };
  const limiter = services.rateLimiter;
  if (operation.auth === 'public') {
    const state = await limiter.consume(`ip:${request.ip}`, services.config.publicRequestsPerMinute);
    setRateLimitHeaders(reply, state);
    return { ...base, accountId: '', keyId: '' };
  }
  const actor = await services.keys.authenticate(readApiKey(request.headers));
  request.accountId = actor.accountId;
  const state = await limiter.consume(`key:${actor.keyId}`, actor.requestsPerMinute);
  setRateLimitHeaders(reply, state);
  return { ...base, accountId: actor.accountId, keyId: actor.keyId };
}

/** Read as they are, compressed bodies would be called broken JSON or a broken form. */
function refuseCompressed(operation: Operation, { headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity' || !(operation.body || operation.upload)) return;
  throw new AppError('unsupported_media_type', {
    field: 'Content-Encoding',
    detail: `bodies are taken as they are, and this one says it is ${JSON.stringify(encoding)}`,
    hint: 'Send the body uncompressed and without Content-Encoding.',
  });
}

function readInput(operation: Operation, request: FastifyRequest): ErasedInput {
  const params = validate(operation.params, request.params, 'path');
  const query = validate(operation.query, operation.query ? request.query : {}, 'query');
  const contentType = request.headers['content-type'];
  const boundary = readBoundary(contentType);
  if (operation.upload && boundary !== null) {
    return { params, query, body: undefined, upload: readParts(request.raw, boundary, operation.upload) };
  }
  if (operation.upload && /^multipart\/form-data/i.test(contentType ?? '')) {
    throw new AppError('invalid_request', { field: 'Content-Type', detail: 'the boundary is missing' });
  }
  if (operation.upload && !operation.body && contentType !== undefined) {
    throw new AppError('unsupported_media_type', { detail: 'the body must be multipart/form-data' });
  }
  if (boundary !== null) throw new AppError('unsupported_media_type', { detail: 'the body must be JSON' });
  return { params, query, body: validate(operation.body, request.body ?? {}, 'body'), upload: undefined };
}

async function claim(
  ctx: Context<ApiServices>,
  operation: Operation,
  request: FastifyRequest,
  input: ErasedInput,
): Promise<{ status: number; answer: unknown } | null> {
  const key = request.headers['idempotency-key'];
  if (operation.creates !== true || key === undefined) return null;
  if (typeof key !== 'string' || key === '' || key.length > 255) {
    throw new AppError('invalid_request', {
      field: 'Idempotency-Key',
      detail: 'must have 1 to 255 characters',
    });
  }
  const { params, query, body, upload } = input;
  const hashed = upload === undefined ? undefined : hashParts(upload);
  if (hashed) input.upload = hashed.parts;
  const outcome = await claimIdempotencyKey(ctx.services.db, {
    accountId: ctx.accountId,
    key,
    operation: operation.id,
    content: { params, query, body },
    ...(hashed === undefined ? {} : { uploadDigest: hashed.digest }),
    status: operation.answer.status,
    signal: ctx.signal,
    ...(operation.showsSecret === true ? { secretKey: ctx.services.config.secretKey } : {}),
  });
  if (outcome.kind === 'replay') {
    if (hashed) await requireSameUpload(hashed, outcome.uploadDigest);
    return { status: outcome.status, answer: outcome.answer };
  }
  ctx.idempotency = outcome.claim;
  return null;
}

async function requireSameUpload(upload: HashedParts, first: Uint8Array | null): Promise<void> {
  await upload.drain();
  if (first === null || !upload.digest().equals(first)) throw idempotencyConflict();
}

/** The claim of a process that died must not block its key for long, so a live one renews it. */
function keepClaim(services: ApiServices, { idempotency }: Context): NodeJS.Timeout | undefined {
  return (
    idempotency &&
    setInterval(() => {
      renewIdempotencyKey(services.db, idempotency).catch((error: unknown) =>
        services.log.warn({ err: error }, 'an idempotency key was not renewed'),
      );
    }, RENEW_CLAIM_MS)
  );
}

// The operation's answer kind says what its function returns.
function asJsonText(answer: unknown): JsonText {
  return answer as JsonText;
}
function asStream(answer: unknown): StreamAnswer {
  return answer as StreamAnswer;
}
function asEvents(answer: unknown): Parameters<typeof toEventText>[0] {
  return answer as Parameters<typeof toEventText>[0];
}

/** What is public is the same for everyone: clients may keep it, and ask whether it has changed. */
function sendCacheable(reply: FastifyReply, text: string): FastifyReply {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  reply.header('etag', etag).header('cache-control', 'public, max-age=60');
  if (reply.request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(text);
}

function send(operation: Operation, ctx: Context, reply: FastifyReply, answer: unknown): FastifyReply {
  if (ctx.credits) {
    reply.header('x-credits-used', String(ctx.credits.used));
    reply.header('x-credits-remaining', String(ctx.credits.remaining));
  }
  reply.code(operation.answer.status);
  switch (operation.answer.kind) {
    case 'empty':
      return reply.send();
    case 'json-text':
      return reply.type('application/json; charset=utf-8').send(asJsonText(answer).jsonText);
    case 'json': {
      const text = JSON.stringify(answer);
      if (operation.auth === 'public') return sendCacheable(reply, text);
      return reply.type('application/json; charset=utf-8').send(text);
    }
    case 'stream': {
      const { contentType, filename, stream } = asStream(answer);
      if (filename) reply.header('content-disposition', `attachment; filename="${filename}"`);
      return reply.type(contentType).send(Readable.from(stream, { objectMode: false }));
    }
    case 'events':
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
      return reply
        .type('text/event-stream; charset=utf-8')
        .send(Readable.from(toEventText(asEvents(answer), ctx.signal), { objectMode: false }));
  }
}

/** What an operation takes as its body, in words. */
function bodyTypeOf({ body, upload }: Operation): string {
  if (upload === undefined) return 'application/json';
  return body === undefined ? 'multipart/form-data' : 'application/json or multipart/form-data';
}

/** A HEAD would do all the work, charge for it or read a stream to its end, and show nothing of it. */
function hasHead({ credits, answer }: Operation): boolean {
  return credits === undefined && answer.kind !== 'stream' && answer.kind !== 'events';
}

/** Counts an export until its connection is done with it. @throws AppError concurrency_limit_exceeded */
function countExport(operation: Operation, ctx: Context<ApiServices>, reply: FastifyReply): void {
  if (operation.answer.kind !== 'stream') return;
  ctx.signal.throwIfAborted();
  reply.raw.once('close', ctx.services.exports.open(ctx.accountId));
}

/** Makes the route of an operation: key, limits, validation, idempotency, the function, the answer. */
export function registerEndpoint(app: FastifyInstance, services: ApiServices, endpoint: Endpoint): void {
  const { operation, run } = endpoint;
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: hasHead(operation),
    bodyLimit: operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    config: { operationId: operation.id, bodyType: bodyTypeOf(operation) },
    // Before the body is read: who may not call costs nothing more.
    onRequest: async (request, reply) => {
      request.context = await openContext(services, operation, request, reply);
      refuseCompressed(operation, request);
    },
    handler: async (request, reply) => {
      const ctx = request.context;
      if (!ctx) throw new AppError('internal');
      const input = readInput(operation, request);
      ctx.lastEventId = readLastEventId(request);
      const replayed = await claim(ctx, operation, request, input);
      if (replayed) {
        reply.header('idempotent-replay', 'true').code(replayed.status);
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(replayed.answer));
      }
      countExport(operation, ctx, reply);
      const renewal = keepClaim(services, ctx);
      try {
        return send(operation, ctx, reply, await run(ctx, input));
      } finally {
        clearInterval(renewal);
        // Frees the key of a call that failed or created nothing; a recorded answer stays.
        if (ctx.idempotency) await releaseIdempotencyKey(services.db, ctx.idempotency);
      }
    },
  });
}

function readLastEventId(request: FastifyRequest): string | undefined {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' ? header : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    accountId: string | null;
    context: Context<ApiServices> | null;
  }
  interface FastifyContextConfig {
    operationId?: string;
    bodyType?: string;
    /** Probes are not logged. */
    isQuiet?: boolean;
  }
}
