import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { findViolations } from '@gleaner/core/find-violations';
import { createTestDatabase } from '@gleaner/db/testing';
import { expect, it } from 'vitest';
import { createCellRouter } from './cell-router.ts';
import { startSite } from '../system/start-site.ts';
import { callApi, startSystem, type Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';

const SCHEMA = { fields: { title: { css: 'h1', required: true } } };

it('two cells behind one address: each account lives in its own, and one cell away stops no account of the other', async () => {
  const databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const site = await startSite();
  const systems = await Promise.all(databases.map(({ url }) => startSystem({ databaseUrl: url })));
  const router = createCellRouter(systems.map(({ baseUrl }) => new URL(baseUrl)));
  router.listen(0, '127.0.0.1');
  await once(router, 'listening');
  const { port } = router.address() as AddressInfo;
  const call = (key: string, method: string, path: string, body?: object) =>
    callApi(`http://127.0.0.1:${port}`, key, { method, path, body });
  try {
    const clients: Client[] = [];
    for (const system of systems) clients.push(await system.client());
    const ids: string[] = [];
    for (const { apiKey } of clients) {
      const parser = await call(apiKey, 'POST', '/v1/parsers', { name: 'p', schema: SCHEMA });
      expect(parser.status, parser.text).toBe(201);
      const target = { type: 'parser', parserId: (parser.json as { id: string }).id };
      const urls = Array.from({ length: 30 }, (_, n) => `${site.url}/item?n=${n}`);
      const batch = await call(apiKey, 'POST', '/v1/batches', { target, urls });
      expect(batch.status, batch.text).toBe(202);
      ids.push((batch.json as { id: string }).id);
    }
    for (const [index, { apiKey }] of clients.entries()) {
      const statusOf = async (id: string) => {
        const { status, json } = await call(apiKey, 'GET', `/v1/batches/${id}`);
        return status === 200 ? (json as { status: string }).status : status;
      };
      await until('the batch ends', async () => (await statusOf(ids[index] ?? '')) === 'succeeded');
      expect(await statusOf(ids[1 - index] ?? '')).toBe(404);
    }
    for (const { db } of databases) {
      expect(await db.sql`SELECT count(*)::int AS runs FROM gleaner.runs`).toEqual([{ runs: 1 }]);
      expect(await findViolations(db)).toEqual([]);
    }
    expect((await call('gln_none', 'GET', '/v1/credits')).status).toBe(401);
    await systems[1]?.api.stop();
    const [own, other] = clients;
    expect((await call(own?.apiKey ?? '', 'GET', '/v1/credits')).status).toBe(200);
    expect((await call(other?.apiKey ?? '', 'GET', '/v1/credits')).status).toBe(503);
  } finally {
    router.closeAllConnections();
    router.close();
    await Promise.all(systems.map((system) => system.stop()));
    await site.close();
    await Promise.all(databases.map((database) => database.close()));
  }
});
