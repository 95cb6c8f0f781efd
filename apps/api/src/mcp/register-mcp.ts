import { clientNetwork, type Config } from '@gleaner/core';
import type { LegacyHttpHandler, McpServerFactory, ServerEventBus } from '@modelcontextprotocol/server';
import { AppError } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientSignal, endAnswer } from '../http/client-signal.ts';
import { setRateLimitHeaders } from '../http/send-error.ts';
import type { ApiServices } from '../services.ts';
import { createMcpAuthentication, type McpSender } from './authenticate-mcp.ts';
import type { McpAddition } from './build-server.ts';
import { selectTools } from './tools.ts';
import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

function hostnameOf(host: string): string | undefined {
  const text = `http://${host}`;
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}

/**
 * Refuses requests that a page of a foreign site had a browser send, also through a name that leads to this machine
 * (DNS rebinding). A name must be a known one; an address can't be rebound.
 * @throws AppError forbidden_host
 */
async function checkHost(
  headers: IncomingHttpHeaders,
  known: Pick<Config, 'host' | 'publicUrl' | 'corsOrigins'>,
): Promise<void> {
  const name = hostnameOf(headers.host ?? '');
  const publicName = known.publicUrl === undefined ? undefined : new URL(known.publicUrl).hostname;
  const isAddress = name !== undefined && isIP(name.replaceAll(/[[\]]/g, '')) !== 0;
  const isOurs = isAddress || ['localhost', publicName, hostnameOf(known.host)].includes(name);
  if (name === undefined || !isOurs) {
    throw new AppError('forbidden_host', {
      field: 'Host',
      detail: `${JSON.stringify(headers.host ?? '')} is not a name of this service`,
    });
  }
  const { origin } = headers;
  if (origin === undefined || known.corsOrigins.includes(origin)) return;
  if (known.publicUrl !== undefined && origin === new URL(known.publicUrl).origin) return;
  const { localhostAllowedOrigins, validateOriginHeader } = await import('@modelcontextprotocol/server');
  if (validateOriginHeader(origin, localhostAllowedOrigins()).ok) return;
  throw new AppError('forbidden_host', {
    field: 'Origin',
    detail: `pages of ${JSON.stringify(origin)} may not call this service`,
  });
}

/** A page of 16 MB as a JSON text. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

const PATH = '/mcp';

/** The request as the protocol's library takes it; its body is parsed already. */
function toWebRequest({ raw, headers, url }: FastifyRequest, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-length' || name === 'transfer-encoding'
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(new URL(url, 'http://mcp.invalid'), {
    method: raw.method ?? 'POST',
    headers: pairs,
    signal,
  });
}

/** Variations of the door. Only the test of conformance has any. */
export interface McpVariation {
  addition?: McpAddition;
  /** Carries changes of lists to the streams of all requests. The product's lists never change. */
  bus?: ServerEventBus;
  /** Serves clients of the revisions of 2025 with sessions. The product serves them without. */
  serveSessions?: (factory: McpServerFactory) => LegacyHttpHandler;
}

/** `POST /mcp`: the Model Context Protocol over Streamable HTTP, without sessions. */
export async function registerMcp(
  app: FastifyInstance,
  services: ApiServices,
  { addition, bus, serveSessions }: McpVariation = {},
): Promise<void> {
  const { config, rateLimiter, streams, log } = services;
  const { authenticate, requireScopes } = await createMcpAuthentication(app, services);
  const senders = new WeakMap<FastifyRequest, McpSender>();
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: PATH,
    exposeHeadRoute: false,
    bodyLimit: BODY_LIMIT_BYTES,
    // Before the body is read, so that a refused caller costs little.
    onRequest: async (request, reply) => {
      await checkHost(request.headers, config);
      const sender = await authenticate(request, reply);
      const { actor } = sender;
      senders.set(request, sender);
      request.accountId = actor.accountId;
      // Requests of the protocol itself: calls of tools are limited again, together with those over REST.
      setRateLimitHeaders(
        reply,
        await rateLimiter.consume(`mcp:${actor.accountId}`, actor.requestsPerMinute),
      );
    },
    handler: async (request, reply) => {
      if (Array.isArray(request.body)) {
        // A list would do the work of many requests, counted as one.
        throw new AppError('invalid_request', {
          field: 'body',
          detail: 'a list of messages is not accepted',
        });
      }
      // The protocol's library takes 9 MB, so a process without agents does not load it.
      const [{ createMcpHandler, isLegacyRequest }, { buildMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./build-server.ts'),
      ]);
      const sender = senders.get(request);
      if (!sender) throw new AppError('internal');
      const { actor } = sender;
      const { tools } = request.query as { tools?: string | string[] };
      const selected = selectTools(Array.isArray(tools) ? tools.join(',') : tools);
      requireScopes(sender, request, reply, selected);
      const isListening = isObject(request.body) && request.body.method === 'subscriptions/listen';
      const release = isListening ? streams.open(actor.accountId, 'events') : undefined;
      const client = {
        actor,
        address: clientNetwork(request.ip),
        requestId: request.id,
        trace: request.span?.passedOn,
      };
      const factory = () => buildMcpServer(services, client, selected, addition);
      const handler = createMcpHandler(factory, {
        onerror: (error) => log.debug({ err: error, requestId: request.id }, 'mcp request was refused'),
        ...(bus === undefined ? {} : { bus }),
      });
      const watched = services.keys.watch(actor.keyId, clientSignal(reply));
      reply.raw.once('close', () => {
        watched.close();
        release?.();
        void handler.close();
      });
      endAnswer(watched.signal, reply.raw);
      const parsed = request.body === undefined ? {} : { parsedBody: request.body };
      const sent = toWebRequest(request, watched.signal);
      const hasSession = serveSessions !== undefined && (await isLegacyRequest(sent, request.body));
      return reply.send(await (hasSession ? serveSessions(factory) : handler.fetch)(sent, parsed));
    },
  });
}
