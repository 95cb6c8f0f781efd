import { join } from 'node:path';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import cors from '@fastify/cors';
import { isForPrograms, AppError } from '@gleaner/contracts';
import { createByteBudget, createId, operationTable, readTraceparent } from '@gleaner/core';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyReply,
} from 'fastify';
import { registerAdmin } from './admin/register-admin.ts';
import { registerDashboard } from './dashboard/register-dashboard.ts';
import { registerAlertConfirmation } from './alerts/register-alert-confirmation.ts';
import { registerBotPage } from './bot/register-bot-page.ts';
import { registerFiles } from './files/register-files.ts';
import { registerFirecrawl } from './firecrawl/register-firecrawl.ts';
import { registerProbes } from './probes/register-probes.ts';
import { hideQueryKey } from './http/api-key.ts';
import { countBody } from './http/count-body.ts';
import { parseJson } from './http/parse-json.ts';
import {
  answerMalformed,
  answerUnexpected,
  dropRestOfBody,
  endStalledBodies,
  endUnreadAnswers,
  limitPipelined,
  refuseUpgrade,
} from './http/raw-connections.ts';
import { hasHead, registerEndpoint } from './http/register-endpoint.ts';
import { sendError } from './http/send-error.ts';
import { registerMcp, type McpVariation } from './mcp/register-mcp.ts';
import { registerDocs } from './openapi/register-docs.ts';
import type { ApiServices } from './services.ts';

const PATTERNS = operationTable.map(({ operation }) => ({
  methods: [operation.method, ...(operation.method === 'GET' && hasHead(operation) ? ['HEAD'] : [])],
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The methods of the operations at a path. */
function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?');
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
}

const HINT = 'All operations are at /docs.';

/** Answers 405 with the methods that the path has, or 404 when it has none. */
function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = methodsAt(request.url);
  if (methods.length === 0) {
    const detail = 'there is nothing at this path';
    return sendError(request, reply, new AppError('not_found', { detail, hint: HINT }));
  }
  reply.header('allow', methods.join(', '));
  const detail = `${request.method} is not offered at this path, but ${methods.join(' and ')}`;
  return sendError(request, reply, new AppError('method_not_allowed', { detail, hint: HINT }));
}

/** Gives each response its request's id; counts, traces and logs each request, except those to quiet routes. */
function observeRequests(
  app: FastifyInstance,
  { tracer, metrics, log }: Pick<ApiServices, 'tracer' | 'metrics' | 'log'>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { isQuiet } = request.routeOptions.config;
    if (isQuiet === true) return;
    const parent = readTraceparent(request.headers.traceparent);
    const route = request.routeOptions.url ?? 'unknown';
    request.span = tracer.start(`${request.method} ${route}`, { parent, kind: 'server' });
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.requests.inc(labels);
    metrics.requestSeconds.observe({ route }, reply.elapsedTime / 1000);
    request.span?.end({
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'gleaner.request_id': request.id,
      },
      ...(reply.statusCode < 500 ? {} : { error: `status ${reply.statusCode}` }),
    });
    if (!request.routeOptions.config.isQuiet) {
      log.info(
        {
          requestId: request.id,
          traceId: request.span?.context.traceId,
          ...labels,
          ms: Math.round(reply.elapsedTime),
          accountId: request.accountId,
        },
        'request',
      );
    }
  });
}

/** Requests of a connection that may wait for their answers. */
const MOST_PIPELINED = 64;
/** Longer than the service stands still while Postgres or a process beside it is stopped and started. */
const BODY_SILENCE_MS = 60_000;
/**
 * The kernels say what a client took in steps of up to 2 MB: a third of the send buffer, a sixteenth of the receive buffer.
 * In a minute a client that reads 20 KB/s takes less.
 */
const ANSWER_SILENCE_MS = 300_000;
/** How long a body that was answered early may go on: enough for its client to read the answer. */
const REST_OF_BODY_MS = 30_000;

/** Built by `npm start` and in the image. */
const DASHBOARD_FOLDER = join(import.meta.dirname, '../../dashboard/dist');

/** Headers of answers that scripts of another origin may read. */
const EXPOSED_HEADERS = [
  'content-disposition',
  'idempotent-replay',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-credits-remaining',
  'x-credits-used',
  'x-fetched-by',
  'x-notes',
  'x-request-id',
];

const REQUEST_ID = /^[\w-]{8,64}$/;

/** The HTTP server without routes. */
function openServer({ config, log }: ApiServices): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log;
  return Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    rewriteUrl: hideQueryKey,
    routerOptions: { maxParamLength: 500 },
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : createId('request');
    },
    frameworkErrors: (error, request, reply) => sendError(request, reply, error),
    keepAliveTimeout: 72_000,
    // Uploads of a million inputs take a while; a body that stands still is ended before.
    requestTimeout: 600_000,
    clientErrorHandler: answerMalformed,
    forceCloseConnections: true,
  });
}

/** The HTTP server with all routes; it listens to nothing yet. */
export async function buildServer(services: ApiServices, mcp?: McpVariation): Promise<FastifyInstance> {
  const { config } = services;
  const app = openServer(services);
  app.decorateRequest('accountId', null);
  app.decorateRequest('reservedBytes', null);
  app.decorateRequest('call', null);
  app.decorateRequest('span', null);

  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (request: FastifyRequest, body: unknown) =>
      parseJson(String(body), request.routeOptions.config.bodyValues),
  );
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));

  app.server.on('checkExpectation', answerUnexpected);
  app.addHook('onRequest', limitPipelined(MOST_PIPELINED));
  app.addHook('onRequest', refuseUpgrade);
  app.addHook('onRequest', endStalledBodies(BODY_SILENCE_MS));
  app.addHook('preParsing', countBody(createByteBudget()));
  app.addHook('onSend', endUnreadAnswers(ANSWER_SILENCE_MS));
  app.addHook('onSend', dropRestOfBody(REST_OF_BODY_MS));
  observeRequests(app, services);
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  // Each route says whether; bodies of requests stay as they are.
  await app.register(compress, { global: false, globalDecompression: false });
  await app.register(helmet, { contentSecurityPolicy: false });
  const showPage = await registerDashboard(app, DASHBOARD_FOLDER);
  app.setNotFoundHandler((request, reply) =>
    showPage(request, reply) ? reply : answerNotFound(request, reply),
  );

  if (config.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: config.corsOrigins,
      methods: ['GET', 'POST'],
      exposedHeaders: EXPOSED_HEADERS,
    });
  }
  for (const entry of operationTable) registerEndpoint(app, services, entry);
  registerDocs(app, operationTable.map(({ operation }) => operation).filter(isForPrograms));
  await registerMcp(app, services, mcp);
  registerFirecrawl(app, services);
  registerFiles(app, services);
  registerProbes(app, services);
  registerBotPage(app, config);
  await registerAlertConfirmation(app, services);
  await registerAdmin(app, services);
  return app;
}
