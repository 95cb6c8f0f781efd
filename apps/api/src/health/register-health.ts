import { readFile } from 'node:fs/promises';
import { collectMetrics, readiness, readVersion } from '@gleaner/core';
import type { FastifyInstance } from 'fastify';
import type { ApiServices } from '../services.ts';

// The supervisor writes {name: pid}.
async function readPids(path: string | undefined): Promise<Record<string, number>> {
  if (path === undefined) return {};
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, number>;
  } catch {
    return {};
  }
}

/** Runs public work once for all concurrent requests. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

const QUIET = { config: { isQuiet: true } };

/** `/healthz`: this process is alive, and its version. `/readyz`: new work would be done. `/metrics`: Prometheus. */
export function registerHealth(app: FastifyInstance, services: ApiServices): void {
  const look = shared(() => readiness(services));
  const measure = shared(async () => collectMetrics(services, await readPids(services.config.pidsFile)));
  const version = readVersion();
  app.get('/healthz', QUIET, async () => ({ status: 'ok', ...version }));
  app.get('/readyz', QUIET, async (_request, reply) => {
    const result = await look();
    return reply.code(result.ready ? 200 : 503).send(result);
  });
  app.get('/metrics', QUIET, async (_request, reply) => {
    const { contentType, text } = await measure();
    return reply.type(contentType).send(text);
  });
}
