import { eitherBackend, createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { productOf, startShop, type Shop } from '../system/shop-site.ts';
import { startSystem, type Client, type System } from '../system/start-system.ts';
import { until } from '../system/until.ts';

const SCHEMA = {
  fields: {
    title: { css: 'h1.title' },
    price: { css: '.price', type: 'number' },
    maker: { css: '.maker' },
  },
};
const PAGES = 60;
/** Good pages of the firing in which the site changes. */
const GOOD = 6;
const WITHIN = 20;

interface Firing {
  run_id: string | null;
}
interface Batch {
  id: string;
  status: string;
  counts: Record<string, number>;
  credits: { used: number };
}
interface Health {
  hosts: {
    version: number;
    state: string;
    pages: number;
    example: unknown;
    structure: { usual: number; recent: number; is_changed: boolean } | null;
  }[];
}
interface Row {
  _url: string;
  title: string | null;
  price: number | null;
  maker: string | null;
}

eitherBackend('the lifecycle of a parser', 'redis', (backend) => {
  let database: TestDatabase;
  let elsewhere: TestDatabase;
  let system: System;
  let shop: Shop;
  let client: Client;
  beforeAll(async () => {
    [database, elsewhere, shop] = await Promise.all([
      createTestDatabase(),
      createTestDatabase(),
      startShop(),
    ]);
    system = await startSystem({ databaseUrl: database.url, redisUrl: backend.redisUrl });
    client = await system.client({ concurrency: 4 });
  });
  afterAll(async () => {
    await system.stop();
    await Promise.all([shop.close(), database.close(), elsewhere.close()]);
  });

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, json, text } = await client.call(method, path, body);
    expect(status, text).toBeLessThan(300);
    return json as T;
  }
  async function awaitEnd(id: string): Promise<Batch> {
    const path = `/v1/batches/${id}`;
    await until('the batch ends', async () =>
      ['succeeded', 'failed'].includes((await call<Batch>('GET', path)).status),
    );
    return call<Batch>('GET', path);
  }
  async function fire(cron: string): Promise<Batch> {
    const { run_id: run } = await call<Firing>('POST', `/v1/crons/${cron}/trigger`);
    if (run === null) throw new Error('the firing made no run');
    return awaitEnd(run);
  }
  async function readRows(db: string): Promise<Row[]> {
    const { rows } = await call<{ rows: Row[] }>(
      'GET',
      `/v1/databases/${db}/tables/products/rows?order_by=_url&limit=100`,
    );
    return rows.map(({ _url, title, price, maker }) => ({ _url, title, price: Number(price), maker }));
  }

  test('a change of the site in the midst of a cron is noticed, hurts no row, and is repaired', async () => {
    const { id: db } = await call<{ id: string }>('POST', '/v1/databases', { name: 'shop', kind: 'managed' });
    const parser = await call<{ id: string }>('POST', '/v1/parsers', { name: 'shop', schema: SCHEMA });
    const inputs = Array.from({ length: PAGES }, (_, number) => shop.product(number));
    const cron = await call<{ id: string }>('POST', '/v1/crons', {
      name: 'shop',
      description: '',
      // Not due by itself while the test runs.
      schedule: '0 0 29 2 *',
      target: { type: 'parser', parserId: parser.id },
      inputs,
      sink: {
        mode: 'database',
        database: db,
        table: 'products',
        nulls: 'overwrite',
        on_drift: 'quarantine',
      },
    });
    await call('POST', '/v1/webhooks', { url: `${shop.url}/hook`, events: ['parser.drift'] });
    const right = inputs
      .map((url, number) => ({ _url: url, ...productOf(number) }))
      .sort((a, b) => a._url.localeCompare(b._url, 'en', { numeric: true }));

    const first = await fire(cron.id);
    expect(first.counts).toMatchObject({ succeeded: PAGES });
    expect(await readRows(db)).toEqual(right);
    const health = (): Promise<Health> => call<Health>('GET', `/v1/parsers/${parser.id}/health`);
    await until('the health is known', async () => (await health()).hosts[0]?.pages === PAGES);

    shop.redesignAfter(GOOD);
    const second = await fire(cron.id);
    await until('the alarm is raised', async () => (await health()).hosts[0]?.state === 'broken');
    const [broken] = (await health()).hosts;
    expect(broken?.example).toMatchObject({ run_id: second.id });
    const [alarm] = await database.db.sql<{ seen: number }[]>`
      SELECT count(*)::int AS seen FROM gleaner.outbox WHERE event = 'parser.drift'`;
    expect(alarm?.seen).toBe(1);
    // No page of the new template wrote a row or cost anything.
    expect(await readRows(db)).toEqual(right);
    expect(second.credits.used).toBe(second.counts['succeeded']);
    expect(second.counts).toMatchObject({ succeeded: GOOD, failed: PAGES - GOOD });

    // Workers store pages beside the tasks, within a second of their end.
    await until('the pages are kept', async () => {
      const kept = await call<{ pages: unknown[] }>('GET', `/v1/pages?run=${second.id}&limit=100`);
      return kept.pages.length === PAGES - GOOD;
    });
    const proposal = await call<{ schema: unknown; fields: { path: string; state: string }[] }>(
      'POST',
      `/v1/parsers/${parser.id}/repair`,
      { batch: second.id },
    );
    expect(proposal.fields.map(({ path, state }) => [path, state])).toEqual([
      ['title', 'repaired'],
      ['price', 'repaired'],
      ['maker', 'repaired'],
    ]);
    await call('PUT', `/v1/parsers/${parser.id}`, { schema: proposal.schema });
    await database.db.sql.unsafe(`UPDATE "${db}".products SET maker = 'out of date'`);
    const hits = shop.hits();
    const again = await call<Batch>('POST', `/v1/batches/${second.id}/reparse`, {});
    const reparsed = await awaitEnd(again.id);
    expect(reparsed).toMatchObject({
      counts: { total: PAGES - GOOD, succeeded: PAGES - GOOD },
      credits: { used: 0 },
    });
    expect(shop.hits()).toBe(hits);
    const rows = await readRows(db);
    expect(rows.filter(({ maker }) => maker !== 'out of date')).toHaveLength(PAGES - GOOD);

    const third = await fire(cron.id);
    expect(third.counts).toMatchObject({ succeeded: PAGES });
    expect(await readRows(db)).toEqual(right);
  });

  test.each(['managed', 'postgres'])(
    'the alarm comes within 20 pages, and rows of a %s database that lack a value are held back',
    async (kind) => {
      const { id: db } = await call<{ id: string }>('POST', '/v1/databases', {
        name: kind,
        kind,
        ...(kind === 'postgres' ? { connection_url: elsewhere.url } : {}),
      });
      // One field lives through the redesign, so pages are not empty.
      const parser = await call<{ id: string }>('POST', '/v1/parsers', {
        name: kind,
        schema: { fields: { page: { css: 'title' }, name: { css: '.product-name' } } },
      });
      const sink = {
        mode: 'database',
        database: db,
        table: 'products',
        nulls: 'overwrite',
        on_drift: 'quarantine',
      };
      const body = { target: { type: 'parser', parserId: parser.id }, sink };
      const urls = (from: number, count: number): string[] =>
        Array.from({ length: count }, (_, index) => shop.product(from + index));
      const learned = await call<Batch>('POST', '/v1/batches', { ...body, urls: urls(0, 40) });
      await awaitEnd(learned.id);
      const health = (): Promise<Health> => call<Health>('GET', `/v1/parsers/${parser.id}/health`);
      await until('the health is known', async () => (await health()).hosts[0]?.pages === 40);
      expect((await health()).hosts[0]?.structure).toMatchObject({ is_changed: false });
      // A site on which the field is missing, at the same host.
      const other = await call<Batch>('POST', '/v1/batches', {
        ...body,
        urls: urls(0, WITHIN).map((url) => `${url}?old`),
      });
      const ended = await awaitEnd(other.id);
      expect(ended.counts).toMatchObject({ succeeded: WITHIN });
      await until('the alarm is raised', async () => (await health()).hosts[0]?.state !== 'healthy');
      await until(
        'the new template is seen',
        async () => (await health()).hosts[0]?.structure?.is_changed === true,
      );
      const { rows } = await call<{ rows: { state: string; data: unknown; reason: string }[] }>(
        'GET',
        `/v1/batches/${other.id}/quarantine?limit=100`,
      );
      expect(rows).toHaveLength(WITHIN);
      await until('all are held', async () => {
        const held = await call<{ rows: unknown[] }>(
          'GET',
          `/v1/batches/${other.id}/quarantine?limit=100&state=held`,
        );
        return held.rows.length === WITHIN;
      });
      expect(await call<Batch>('GET', `/v1/batches/${other.id}`)).toMatchObject({
        counts: { quarantined: WITHIN },
      });
      const path = `/v1/databases/${db}/tables/products/rows?limit=100`;
      expect((await call<{ rows: unknown[] }>('GET', path)).rows).toHaveLength(40);
      expect(await call('POST', `/v1/batches/${other.id}/quarantine/discard`, { seqs: [0] })).toEqual({
        discarded: 1,
      });
      expect(await call('POST', `/v1/batches/${other.id}/quarantine/release`, {})).toEqual({
        releasing: WITHIN - 1,
      });
      await until(
        'the rows are written',
        async () => (await call<{ rows: unknown[] }>('GET', path)).rows.length === 40 + WITHIN - 1,
      );
      const stranger = await system.client();
      expect(await stranger.call('GET', `/v1/batches/${other.id}/quarantine`)).toMatchObject({ status: 404 });
      expect(await stranger.call('GET', `/v1/parsers/${parser.id}/health`)).toMatchObject({ status: 404 });
    },
    120_000,
  );
});
