import { createTestDatabase, eitherBackend, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startPgBouncer, type TestPooler } from '../processes/pgbouncer.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { startSystem, type Client, type System } from '../system/start-system.ts';
import { until } from '../system/until.ts';

const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
const WORKER_CONNECTIONS = 11;
const PAGES = 120;
/** Two systems' starts on a busy machine. */
const TIMEOUT_MS = 240_000;

eitherBackend('connections', 'postgres', (backend) => {
  let site: Site;
  let database: TestDatabase;
  let system: System | undefined;
  let pooler: TestPooler | undefined;

  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());
  afterEach(async () => {
    await system?.stop();
    await pooler?.stop();
    await database.close();
    system = undefined;
    pooler = undefined;
  });

  async function start(pooledUrl?: string): Promise<Client> {
    system = await startSystem({ databaseUrl: database.url, pooledUrl, redisUrl: backend.redisUrl });
    return system.client({ credits: 10_000, concurrency: 200 });
  }

  async function create(client: Client, path: string, body: unknown): Promise<string> {
    const { status, text, json } = await client.call('POST', path, body);
    if (status !== 201 && status !== 202) throw new Error(`${path}: ${status} ${text}`);
    return (json as { id: string }).id;
  }

  /** A batch with a managed sink, and what scrapes one page with its parser. */
  async function startWork(client: Client, count: number) {
    const parserId = await create(client, '/v1/parsers', { name: 'p', schema: SCHEMA });
    const managed = await create(client, '/v1/databases', { name: 'shop', kind: 'managed' });
    const scrape = () =>
      client.call('GET', `/v1/scrape/${parserId}?url=${encodeURIComponent(`${site.url}/product`)}`);
    const batch = await create(client, '/v1/batches', {
      target: { type: 'parser', parserId },
      urls: Array.from({ length: count }, (_, index) => `${site.url}/product?n=${index}`),
      sink: { mode: 'database', database: managed, table: 'products' },
    });
    return { batch, scrape };
  }

  async function ended(client: Client, id: string): Promise<unknown> {
    let last: { status: string; counts: unknown } = { status: '', counts: {} };
    await until(
      'the batch has ended',
      async () => {
        last = (await client.call('GET', `/v1/batches/${id}`)).json as typeof last;
        return !['pending', 'running'].includes(last.status);
      },
      120_000,
    );
    return last;
  }

  async function connectionsOf(name: string): Promise<number> {
    const [row] = await database.db.sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${name}`;
    return row?.count ?? 0;
  }

  test(
    'a worker needs at most 11, idle and under load',
    async () => {
      database = await createTestDatabase();
      const client = await start();
      const idle = await connectionsOf('gleaner-worker');
      expect(idle).toBeGreaterThan(0);
      expect(idle).toBeLessThanOrEqual(WORKER_CONNECTIONS);
      const { batch, scrape } = await startWork(client, PAGES);
      let most = 0;
      let isOver = false;
      const watching = until(
        'the batch has ended',
        async () => {
          most = Math.max(most, await connectionsOf('gleaner-worker'));
          return isOver;
        },
        120_000,
      );
      await Promise.all(Array.from({ length: 40 }, scrape));
      expect(await ended(client, batch)).toMatchObject({ status: 'succeeded', counts: { succeeded: PAGES } });
      isOver = true;
      await watching;
      const others = [await connectionsOf('gleaner-api'), await connectionsOf('gleaner-scheduler')];
      console.info(
        `connections: worker idle ${idle}, under load ${most}; API, scheduler ${others.join(', ')}`,
      );
      expect(most).toBeLessThanOrEqual(WORKER_CONNECTIONS);
    },
    TIMEOUT_MS,
  );

  test(
    'everything works through PgBouncer in transaction mode',
    async (context) => {
      database = await createTestDatabase();
      const opened = await startPgBouncer(database.url, { poolSize: 8 });
      if ('missing' in opened) {
        context.skip(opened.missing);
        return;
      }
      pooler = opened;
      const client = await start(pooler.url);
      const { batch, scrape } = await startWork(client, PAGES);
      const scrapes = await Promise.all(Array.from({ length: 40 }, scrape));
      expect(scrapes.map(({ status, text }) => [status, text])).toEqual(
        scrapes.map(({ text }) => [200, text]),
      );
      expect(await ended(client, batch)).toMatchObject({ status: 'succeeded', counts: { succeeded: PAGES } });
      // Statements went through the pooler, within their time limit; only listeners went past it.
      const [limit] = await database.db.sql<{ settings: string[] }[]>`
      SELECT setconfig AS settings FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE d.datname = current_database()`;
      expect(limit?.settings).toContain('statement_timeout=60000');
      expect(system?.output()).not.toMatch(/prepared statement|unsupported startup|"level":(50|60)/);
    },
    TIMEOUT_MS,
  );
});
