import { AppError } from '@gleaner/contracts';
import { clientNetwork, validate, type Actor } from '@gleaner/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { clientSignal } from '../http/client-signal.ts';
import { countText, JSON_TYPE } from '../http/send-answer.ts';
import { failureOf, sendFailure, setRateLimitHeaders } from '../http/send-error.ts';
import { readBearer } from '../http/api-key.ts';
import type { ApiServices } from '../services.ts';
import { batchBody, crawlBody, mapBody, scrapeBody } from './bodies.ts';
import { toDocument } from './documents.ts';
import { callOperation, within, type DoorRequest } from './door-call.ts';
import { BATCHES, cancelJob, CRAWLS, pageQuery, showErrors, showJob, type JobKind } from './jobs.ts';
import { mapSite } from './map-site.ts';
import { startBatch } from './start-batch.ts';

const PREFIX = '/firecrawl/v2';

/** The longest that a scrape takes. */
const MOST_MS = 120_000;

/** Statuses that this interface gives otherwise. */
const STATUSES: Readonly<Record<number, number>> = { 504: 408 };

/** A failure as its clients read it: one text with all that is known, and our own body as details. */
function sendFirecrawlError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  signal?: AbortSignal,
): FastifyReply {
  const failure = failureOf(request, error, signal);
  const body = failure.toBody();
  const { field, detail } = body;
  const isNamed = field === undefined || detail?.startsWith(`${field}: `) === true;
  const what = [body.error, isNamed ? undefined : field, detail].filter(Boolean).join(': ');
  return sendFailure(request, reply, failure, {
    status: STATUSES[failure.status] ?? failure.status,
    body: {
      success: false,
      error: [what, failure.options.hint].filter(Boolean).join('. '),
      details: body,
    },
  });
}

function read<S extends z.ZodType>(schema: S, value: unknown, root: string): z.output<S> {
  return validate(schema, value ?? {}, root) as z.output<S>;
}

/** @throws AppError unauthorized */
async function authenticate({ keys }: ApiServices, { headers }: FastifyRequest): Promise<Actor> {
  return keys.authenticate(readBearer(headers)).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
    const hint = 'Send the key in the header Authorization: Bearer KEY.';
    throw new AppError('unauthorized', { ...error.options, hint });
  });
}

/** The address at which the client reaches a path of this door. */
function addressOf({ protocol, host }: FastifyRequest, { config }: ApiServices, path: string): string {
  return `${(config.publicUrl ?? `${protocol}://${host}`).replace(/\/$/, '')}${PREFIX}${path}`;
}

type Handle = (
  call: DoorRequest,
  request: FastifyRequest,
  idempotencyKey: string | undefined,
) => Promise<unknown>;

async function scrapePage(call: DoorRequest, { body }: FastifyRequest): Promise<unknown> {
  const { waitMs, call: asked } = read(scrapeBody, body, 'body');
  return within(call, Math.min(waitMs ?? MOST_MS, MOST_MS), async (limited) => {
    const { value, credits } = await callOperation(limited, 'scrapeWithSchema', { body: asked });
    const further = credits === undefined ? {} : { creditsUsed: credits.used };
    return { success: true, data: toDocument(asked.url, value, further) };
  });
}

const startedSchema = z.object({ id: z.string() });

type Handler = [method: 'GET' | 'POST' | 'DELETE', path: string, Handle, bodyLimitBytes?: number];

/** What is done with jobs of a kind, at its path. */
function jobHandlers(services: ApiServices, kind: JobKind, path: string): Handler[] {
  const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id;
  const show: Handle = (call, request) =>
    showJob(call, kind, idOf(request), {
      address: addressOf(request, services, `${path}/${idOf(request)}`),
      query: read(pageQuery, request.query, 'query'),
    });
  return [
    ['GET', `${path}/:id`, show],
    ['GET', `${path}/:id/errors`, (call, request) => showErrors(call, kind, idOf(request))],
    ['DELETE', `${path}/:id`, (call, request) => cancelJob(call, kind, idOf(request))],
  ];
}

const CRAWL = '/crawl';
const BATCH = '/batch/scrape';
/** Room for a hundred thousand addresses. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** The handlers by method and path. */
function handlersOf(services: ApiServices): Handler[] {
  const startCrawl: Handle = async (call, request, idempotencyKey) => {
    const body = read(crawlBody, request.body, 'body');
    const { value } = await callOperation(call, 'createCrawl', { body, idempotencyKey });
    const { id } = startedSchema.parse(value);
    return { success: true, id, url: addressOf(request, services, `${CRAWL}/${id}`) };
  };
  const start: Handle = async (call, request, idempotencyKey) => {
    const { id, invalidURLs } = await startBatch(call, read(batchBody, request.body, 'body'), idempotencyKey);
    return { success: true, id, url: addressOf(request, services, `${BATCH}/${id}`), invalidURLs };
  };
  return [
    ['POST', '/scrape', scrapePage],
    ['POST', '/map', (call, { body }) => mapSite(call, read(mapBody, body, 'body'))],
    ['POST', CRAWL, startCrawl],
    ...jobHandlers(services, CRAWLS, CRAWL),
    ['POST', BATCH, start, BATCH_BYTES],
    ...jobHandlers(services, BATCHES, BATCH),
  ];
}

/** Firecrawl's interface, version 2, over the operations: no call does what REST doesn't. */
export function registerFirecrawl(app: FastifyInstance, services: ApiServices): void {
  const { config, rateLimiter } = services;
  if (!config.firecrawlDoor) return;
  const senders = new WeakMap<FastifyRequest, { actor: Actor; signal: AbortSignal }>();
  void app.register(
    async (door) => {
      door.setErrorHandler((error, request, reply) =>
        sendFirecrawlError(request, reply, error, senders.get(request)?.signal),
      );
      door.setNotFoundHandler((request, reply) => {
        const detail = `${request.method} ${request.url.split('?', 1)[0]} is not offered`;
        const hint = 'docs/use/firecrawl.md lists what is.';
        return sendFirecrawlError(request, reply, new AppError('not_found', { detail, hint }));
      });
      // Before the body is read, so that a refused caller costs little.
      door.addHook('onRequest', async (request, reply) => {
        const actor = await authenticate(services, request);
        senders.set(request, { actor, signal: clientSignal(reply) });
        request.accountId = actor.accountId;
        // Requests as such: the operations that they call are limited again, together with those over REST.
        const { accountId, requestsPerMinute } = actor;
        setRateLimitHeaders(reply, await rateLimiter.consume(`firecrawl:${accountId}`, requestsPerMinute));
      });
      for (const [method, url, handle, bodyLimit] of handlersOf(services)) {
        door.route({
          method,
          url,
          exposeHeadRoute: false,
          ...(bodyLimit === undefined ? {} : { bodyLimit }),
          handler: async (request, reply) => {
            const sender = senders.get(request);
            if (sender === undefined) throw new AppError('internal');
            const { actor, signal } = sender;
            const address = clientNetwork(request.ip);
            const client = { actor, address, requestId: request.id, trace: request.span?.passedOn };
            const key = request.headers['x-idempotency-key'];
            const idempotencyKey = typeof key === 'string' ? key : undefined;
            const answer = await handle({ services, client, signal }, request, idempotencyKey);
            const text = JSON.stringify(answer);
            // What was charged is answered whatever it takes.
            const counted = method === 'GET' ? countText(text, {}, request.reservedBytes) : text;
            return reply.type(JSON_TYPE).send(counted);
          },
        });
      }
    },
    { prefix: PREFIX },
  );
}
