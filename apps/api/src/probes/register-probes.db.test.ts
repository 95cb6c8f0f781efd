import { beat, createMetrics, noteCanary, openRateLimiter } from '@gleaner/core';
import { openTestServices } from '@gleaner/core/testing';
import Fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import type { ApiServices } from '../services.ts';
import { registerProbes } from './register-probes.ts';

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
  registerProbes(app, { ...services, queue, metrics: createMetrics('test') } as unknown as ApiServices);
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

it('reports the sandbox of the browsers without deciding by it', async () => {
  const app = Fastify();
  registerProbes(app, { ...services, metrics: createMetrics('test') } as unknown as ApiServices);
  const look = async () =>
    (await app.inject('/readyz')).json<{ ready: boolean; checks: Record<string, string> }>().checks;
  const worker = { workerId: 'wrk_sandbox', engines: ['browser'] as const, refuses: null };
  const metrics = createMetrics('wrk_sandbox');
  const states = new Map<string | undefined, RegExp>([
    [undefined, /^not known until/],
    ['on', /^on$/],
    ['off', /^OFF: /],
  ]);
  for (const [state, expected] of states) {
    metrics.browserSandbox.reset();
    if (state !== undefined) metrics.browserSandbox.set({ state }, 1);
    await beat(services.db, { ...worker, metrics: await metrics.registry.getMetricsAsJSON() });
    for (const queue of ['interactive-http', 'interactive-browser'] as const)
      await noteCanary(services.db, queue);
    expect((await look())['browser_sandbox']).toMatch(expected);
  }
  await app.close();
});

it('counts a scheduler, which serves no engine, as no worker', async () => {
  const app = Fastify();
  registerProbes(app, { ...services, metrics: createMetrics('test') } as unknown as ApiServices);
  const worker = { workerId: 'wrk_http', engines: ['http'] as const, refuses: 'memory', metrics: [] };
  await beat(services.db, worker);
  await beat(services.db, { workerId: 'wrk_scheduler', engines: [], refuses: null, metrics: [] });
  const { body } = await app.inject('/metrics');
  expect(body).toContain('gleaner_worker_admission{process="wrk_http"} 0');
  expect(body).not.toContain('gleaner_worker_admission{process="wrk_scheduler"}');
  await app.close();
});

it('tells of the installation only to this machine and the operator', async () => {
  const password = 'the operator’s password';
  const { limiter: rateLimiter, close: closeLimiter } = openRateLimiter({ ...services, redisUrl: undefined });
  const app = Fastify();
  const config = { ...services.config, operatorPassword: password };
  const metrics = createMetrics('test');
  registerProbes(app, { ...services, config, metrics, rateLimiter } as unknown as ApiServices);
  const basic = (text: string) => ({
    authorization: `Basic ${Buffer.from(`operator:${text}`).toString('base64')}`,
  });
  const callers: { knows: boolean; remoteAddress: string; headers: Record<string, string> }[] = [
    { knows: true, remoteAddress: '127.0.0.1', headers: { host: 'localhost:3000' } },
    { knows: true, remoteAddress: '::1', headers: { host: '[::1]:3000' } },
    { knows: true, remoteAddress: '203.0.113.9', headers: basic(password) },
    { knows: false, remoteAddress: '203.0.113.9', headers: basic('another') },
    { knows: false, remoteAddress: '203.0.113.9', headers: { host: 'localhost:3000' } },
    { knows: false, remoteAddress: '127.0.0.1', headers: { host: 'page.example' } },
    {
      knows: false,
      remoteAddress: '127.0.0.1',
      headers: { host: 'localhost', 'x-forwarded-for': '203.0.113.9' },
    },
  ];
  const check = async ({ knows, ...caller }: (typeof callers)[number]): Promise<void> => {
    const { statusCode, body } = await app.inject({ url: '/metrics', ...caller });
    expect([statusCode, body.includes('gleaner_workers')]).toEqual([knows ? 200 : 401, knows]);
    const ready = (await app.inject({ url: '/readyz', ...caller })).json<object>();
    expect(Object.keys(ready)).toEqual(knows ? ['ready', 'checks'] : ['ready']);
  };
  await Promise.all(callers.map(check));
  await app.close();
  await closeLimiter();
});

it('gives as many metrics for 10,000 accounts as for none', async () => {
  const app = Fastify();
  registerProbes(app, { ...services, metrics: createMetrics('test') } as unknown as ApiServices);
  const series = async () => {
    const { body } = await app.inject('/metrics');
    // The heartbeat of an earlier test ends at some time.
    const all = body.match(/^gleaner_\w+(\{[^}]*\})?/gm) ?? [];
    return new Set(all.filter((name) => !name.includes('wrk_sandbox')));
  };
  const before = await series();
  await services.db.sql`
    INSERT INTO gleaner.accounts (id, name, concurrency, requests_per_minute, pending_limit, cron_limit,
      cron_min_interval_seconds)
    SELECT 'acc_many_' || n, 'many ' || n, 10, 600, 1000, 10, 60 FROM generate_series(1, 10000) AS n`;
  expect(await series()).toEqual(before);
  expect(before.size).toBeGreaterThan(10);
  await app.close();
});
