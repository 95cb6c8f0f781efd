import { setTimeout as delay } from 'node:timers/promises';
import { findViolations } from '@gleaner/core/find-violations';
import { createTestDatabase, eitherBackend } from '@gleaner/db/testing';
import { expect, inject, it } from 'vitest';
import { startSite } from './system/start-site.ts';
import { callApi, startSystem, type Client } from './system/start-system.ts';
import { until } from './system/until.ts';

const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
/** How long an account may be kept from its owner. */
const FROZEN_MS = inject('isLong') ? 10_000 : 120_000;
/** Between two jobs of another account. */
const PAUSE_MS = 100;
/** What others may notice, on a machine that runs other tests. */
const OTHERS_MS = 3_000;

eitherBackend('stopped processes', 'postgres', ({ redisUrl }) => {
  it('an API process and a worker that stop inside their statements freeze their account for seconds, and no other', async () => {
    const database = await createTestDatabase();
    const { sql } = database.db;
    const site = await startSite();
    const system = await startSystem({ databaseUrl: database.url, redisUrl });
    try {
      const second = await system.addApi();
      const limits = { credits: 10_000, concurrency: 20, requestsPerMinute: 100_000 };
      const [own, other] = [await system.client(limits), await system.client(limits)];
      const through = (client: Client, path: string, body?: unknown) =>
        callApi(second.baseUrl, client.apiKey, { method: body === undefined ? 'GET' : 'POST', path, body });
      const parserOf = async (client: Client): Promise<string> => {
        const { json } = await through(client, '/v1/parsers', { name: 'p', schema: SCHEMA });
        return (json as { id: string }).id;
      };
      const [ownParser, otherParser] = [await parserOf(own), await parserOf(other)];
      const job = (parserId: string) => ({
        target: { type: 'parser', parserId },
        url: `${site.url}/product`,
      });

      // Both processes are in a statement that wants the account: the worker ends a chunk, the API creates a run.
      const answerPages = site.hold('/slow');
      const batch = await through(own, '/v1/batches', {
        target: { type: 'parser', parserId: ownParser },
        urls: [`${site.url}/slow?ms=0`],
      });
      expect(batch.status, batch.text).toBeLessThan(300);
      await until('the page is being fetched', () => site.open() === 1);
      const waitsForLock = async (name: string): Promise<boolean> => {
        const [row] = await sql<{ count: number }[]>`
          SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = ${name} AND wait_event_type = 'Lock'`;
        return row?.count !== 0;
      };
      const abandoned = new AbortController();
      await sql.begin(async (tx) => {
        await tx`SELECT 1 FROM gleaner.accounts WHERE id = ${own.accountId} FOR UPDATE`;
        answerPages();
        await until('the worker waits for the account', () => waitsForLock('gleaner-worker'));
        own.call('POST', '/v1/jobs', job(ownParser), { signal: abandoned.signal }).catch(() => undefined);
        await until('the API waits for the account', () => waitsForLock('gleaner-api'));
        system.api.signal('SIGSTOP');
        system.workers[0]?.signal('SIGSTOP');
      });
      const from = performance.now();
      const adding = system.addWorker();

      const waits: number[] = [];
      let isFree = false;
      const watching = (async () => {
        while (!isFree) {
          const started = performance.now();
          const { status, text } = await through(other, '/v1/jobs', job(otherParser));
          expect(status, text).toBeLessThan(300);
          waits.push(performance.now() - started);
          await delay(PAUSE_MS);
        }
      })();
      await until(
        'the account is served again',
        async () => (await through(own, '/v1/jobs', job(ownParser))).status < 300,
        FROZEN_MS,
      );
      const frozenMs = performance.now() - from;
      isFree = true;
      await watching;
      if (inject('isLong')) {
        expect(frozenMs).toBeLessThan(FROZEN_MS);
        expect(Math.max(...waits)).toBeLessThan(OTHERS_MS);
      }
      console.info(
        `stopped processes: account frozen for ${Math.round(frozenMs)} ms, others waited ${Math.round(Math.max(...waits))} ms at most`,
      );

      // What the stopped processes had is done by others, each input once.
      await adding;
      const scrape = await through(
        own,
        `/v1/scrape/${ownParser}?url=${encodeURIComponent(`${site.url}/product`)}`,
      );
      expect(scrape.status, scrape.text).toBe(200);
      system.api.signal('SIGCONT');
      system.workers[0]?.signal('SIGCONT');
      abandoned.abort();
      await until('all work has ended', async () => {
        const [row] = await sql`SELECT count(*)::int AS live FROM gleaner.runs WHERE finished_at IS NULL`;
        return row?.live === 0;
      });
      expect(await findViolations(database.db)).toEqual([]);
    } finally {
      system.api.signal('SIGCONT');
      system.workers[0]?.signal('SIGCONT');
      await system.stop();
      await site.close();
      await database.close();
    }
  });
});
