import { readTraceparent } from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import type { ApiServices } from '../services.ts';

/** Gives each response its request's id; counts, traces and logs each request, except those to quiet routes. */
export function observeRequests(
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
