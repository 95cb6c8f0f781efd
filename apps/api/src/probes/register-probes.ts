import { readFile } from 'node:fs/promises';
import { collectMetrics, readiness, readVersion } from '@gleaner/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isOperatorRequest, refuseOperator } from '../admin/operator-guard.ts';
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

const HERE = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const OWN_NAMES = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether a program of this machine asks. A page in its browser can ask under a name of its own that leads here, and a
 * proxy asks for others.
 */
function isLocal({ ip, hostname, headers }: FastifyRequest): boolean {
  return HERE.has(ip) && OWN_NAMES.has(hostname) && headers['x-forwarded-for'] === undefined;
}

const QUIET = { config: { isQuiet: true } };

/**
 * `/healthz`: this process is alive, and its version. `/readyz`: new work would be done. `/metrics`: Prometheus. What they
 * tell of the installation is for this machine and the operator.
 */
export function registerProbes(app: FastifyInstance, services: ApiServices): void {
  const look = shared(() => readiness(services));
  const measure = shared(async () => collectMetrics(services, await readPids(services.config.pidsFile)));
  const version = readVersion();
  app.get('/healthz', QUIET, async () => ({ status: 'ok', ...version }));
  const mayKnow = async (request: FastifyRequest): Promise<boolean> => {
    const { operatorPassword: password } = services.config;
    return (
      isLocal(request) || (password !== undefined && isOperatorRequest(request, { ...services, password }))
    );
  };
  app.get('/readyz', QUIET, async (request, reply) => {
    const { ready, checks } = await look();
    return reply.code(ready ? 200 : 503).send((await mayKnow(request)) ? { ready, checks } : { ready });
  });
  app.get('/metrics', QUIET, async (request, reply) => {
    if (!(await mayKnow(request))) return refuseOperator(request, reply);
    const { contentType, text } = await measure();
    return reply.type(contentType).send(text);
  });
}
