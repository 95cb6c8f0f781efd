import { setTimeout as delay } from 'node:timers/promises';
import { eitherBackend, createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type Site } from './system/start-site.ts';
import { startSystem, type Answer, type Client, type System } from './system/start-system.ts';
import { until } from './system/until.ts';

const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
/** A worker has fewer connections. */
const PAGES = 10;

async function createParser(client: Client): Promise<string> {
  const { json } = await client.call('POST', '/v1/parsers', { name: 'p', schema: SCHEMA });
  return (json as { id: string }).id;
}

/** The statements of a kind of process that wait for a lock. */
async function readWaiting(sql: Sql, process = 'gleaner-worker'): Promise<string[]> {
  const rows = await sql<{ statement: string }[]>`
    SELECT pid || ' since ' || query_start AS statement FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = ${process} AND wait_event_type = 'Lock'
    ORDER BY pid`;
  return rows.map((row) => row.statement);
}

async function awaitSteadyWaiting(sql: Sql, process?: string): Promise<string[]> {
  let waiting: string[] = [];
  await until('as many statements as possible wait for locks', async () => {
    const before = waiting;
    await delay(200);
    waiting = await readWaiting(sql, process);
    return waiting.length > 0 && waiting.join() === before.join();
  });
  return waiting;
}

/** Whether work of another account ends while some statement waits for its lock all the time: it needed the end of none. */
async function endsFirst(sql: Sql, work: () => Promise<void>, process?: string): Promise<boolean> {
  const waiting = await awaitSteadyWaiting(sql, process);
  await work();
  const still = await readWaiting(sql, process);
  return waiting.some((statement) => still.includes(statement));
}

/** On a busy machine the work may take longer than statements wait for a lock, so it is tried again. */
function untilEndsFirst(attempt: () => Promise<boolean>): Promise<void> {
  return until('work of another account ends while statements wait for locks', attempt, 240_000);
}

async function awaitEnd(sql: Sql): Promise<void> {
  await until('all work has ended', async () => {
    const [row] = await sql<{ live: number }[]>`
        SELECT (SELECT count(*) FROM gleaner.runs WHERE finished_at IS NULL)::int
          + (SELECT count(*) FROM gleaner.requests WHERE finished_at IS NULL)::int AS live`;
    return row?.live === 0;
  });
}

eitherBackend('locked accounts', 'postgres', ({ redisUrl }) => {
  let database: TestDatabase;
  let sql: Sql;
  let site: Site;
  let system: System;

  beforeAll(async () => {
    [database, site] = await Promise.all([createTestDatabase(), startSite()]);
    ({ sql } = database.db);
    system = await startSystem({ databaseUrl: database.url, redisUrl });
  });
  afterAll(async () => {
    await system.stop();
    await Promise.all([site.close(), database.close()]);
  });

  it('keep no scrape or batch of another account waiting, though many of their chunks end in the same worker', async () => {
    const [locked, other] = [await system.client({ concurrency: 20 }), await system.client()];
    const [parserId, otherParser] = [await createParser(locked), await createParser(other)];
    const answerPages = site.hold('/slow');
    for (let n = 0; n < PAGES; n += 1) {
      const batch = await locked.call('POST', '/v1/batches', {
        target: { type: 'parser', parserId },
        urls: [`${site.url}/slow?ms=0&n=${n}`],
      });
      expect(batch.status, batch.text).toBeLessThan(300);
    }
    await until('all pages are being fetched', () => site.open() === PAGES);
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM gleaner.accounts WHERE id = ${locked.accountId} FOR UPDATE`;
      answerPages();
      const work = async (): Promise<void> => {
        const url = encodeURIComponent(`${site.url}/product`);
        const scrape = await other.call('GET', `/v1/scrape/${otherParser}?url=${url}`);
        expect(scrape.status, scrape.text).toBe(200);
        const batch = await other.call('POST', '/v1/batches', {
          target: { type: 'parser', parserId: otherParser },
          urls: [`${site.url}/product`],
        });
        const { id } = batch.json as { id: string };
        await until('its batch has ended', async () => {
          const { json } = await other.call('GET', `/v1/batches/${id}`);
          return (json as { status: string }).status === 'succeeded';
        });
      };
      await untilEndsFirst(() => endsFirst(sql, work));
    });
    await awaitEnd(sql);
  });

  it('keep no scrape of another account waiting, though their scrapes end in the same worker', async () => {
    const other = await system.client();
    const otherParser = await createParser(other);
    const locked = await Promise.all(Array.from({ length: PAGES }, () => system.client()));
    const answerPages = site.hold('/slow');
    const scrapeOf = (client: Client, ofParser: string, path: string) =>
      client.call('GET', `/v1/scrape/${ofParser}?url=${encodeURIComponent(`${site.url}${path}`)}`);
    const parsers = await Promise.all(locked.map(createParser));
    const late = Promise.all(
      locked.map((client, index) => scrapeOf(client, parsers[index] ?? '', '/slow?ms=0')),
    );
    await until('all pages are being fetched', () => site.open() === PAGES);
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM gleaner.accounts WHERE id = ANY (${locked.map(({ accountId }) => accountId)}) FOR UPDATE`;
      answerPages();
      const work = async (): Promise<void> => {
        const scrape = await scrapeOf(other, otherParser, '/product');
        expect(scrape.status, scrape.text).toBe(200);
      };
      await untilEndsFirst(() => endsFirst(sql, work));
    });
    expect((await late).map(({ status }) => status)).toEqual(Array.from({ length: PAGES }, () => 200));
  });

  it('keep no call of another account waiting, though many of their calls are in the same API process', async () => {
    const [locked, other] = [await system.client(), await system.client()];
    const [parserId, otherParser] = [await createParser(locked), await createParser(other)];
    const submit = (client: Client, ofParser: string) =>
      client.call('POST', '/v1/jobs', {
        target: { type: 'parser', parserId: ofParser },
        url: 'http://127.0.0.1:9/nobody-listens',
      });
    const late: Promise<Answer>[] = [];
    // What the first call reads is known then.
    for (const [client, ofParser] of [
      [locked, parserId],
      [other, otherParser],
    ] as const)
      expect((await submit(client, ofParser)).status).toBe(202);
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM gleaner.accounts WHERE id = ${locked.accountId} FOR UPDATE`;
      const work = async (): Promise<void> => {
        const job = await submit(other, otherParser);
        expect(job.status, job.text).toBe(202);
      };
      await untilEndsFirst(() => {
        late.push(...Array.from({ length: 60 }, () => submit(locked, parserId)));
        return endsFirst(sql, work, 'gleaner-api');
      });
    });
    // Those that waited for too long were refused.
    for (const { status, text } of await Promise.all(late)) expect([202, 503], text).toContain(status);
    await awaitEnd(sql);
  });
});
