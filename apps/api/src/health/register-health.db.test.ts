import { createMetrics } from '@gleaner/core';
import { openTestServices } from '@gleaner/core/testing';
import Fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import type { ApiServices } from '../services.ts';
import { registerHealth } from './register-health.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('concurrent probes share one check', async () => {
  let canaries = 0;
  let counted = 0;
  const queue: typeof services.queue = {
    ...services.queue,
    deliver: async () => {
      canaries += 1;
    },
    counts: (name) => {
      counted += 1;
      return services.queue.counts(name);
    },
  };
  const app = Fastify();
  registerHealth(app, { ...services, queue, metrics: createMetrics('test') } as unknown as ApiServices);
  const ask = async (url: string) =>
    Promise.all(Array.from({ length: 20 }, async () => (await app.inject(url)).statusCode));
  expect(new Set(await ask('/readyz'))).toEqual(new Set([503]));
  expect(canaries).toBe(1);
  expect((await app.inject('/readyz')).json()).toMatchObject({
    checks: { worker_http: 'no worker consumes its jobs' },
  });
  expect(canaries).toBe(2);
  await app.inject('/metrics');
  const once = counted;
  expect(new Set(await ask('/metrics'))).toEqual(new Set([200]));
  expect(counted).toBe(2 * once);
  await app.close();
});
