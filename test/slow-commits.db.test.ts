import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAccount,
  createEnder,
  createId,
  createLogger,
  createStarter,
  openInteractive,
  prepareDatabase,
} from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { startPostgres } from '@gleaner/embedded-postgres';
import { createQueueBackend } from '@gleaner/queue';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { until } from './system/until.ts';

/** Each commit that waits for the disk takes so long, as with a replica or a cloud disk. */
const COMMIT_MS = 100;
const CLIENTS = 64;
const MEASURED_MS = 4_000;

let folder: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let db: Database;
const accounts: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gleaner-slow-'));
  // As root the server runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  postgres = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
  db = createDatabase(postgres.url, { max: 20 });
  await prepareDatabase(postgres.url);
  for (let index = 0; index < CLIENTS; index += 1) {
    const { account } = await createAccount(db, { name: `slow ${index}`, credits: 1_000_000 });
    accounts.push(account.id);
  }
  await db.sql`ALTER SYSTEM SET commit_siblings = 0`;
  await db.sql.unsafe(`ALTER SYSTEM SET commit_delay = ${COMMIT_MS * 1_000}`);
  await db.sql`SELECT pg_reload_conf()`;
  await until('the setting is read', async () => {
    const [row] = await db.sql`SHOW commit_delay`;
    return row?.commit_delay === String(COMMIT_MS * 1_000);
  });
});

afterAll(async () => {
  await db.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

// How many share a commit depends on the machine.
it.skipIf(!inject('isLong'))(
  'slow commits are shared: 64 clients get at least eight requests for each commit that fits into the time',
  { meta: { missing: '--long' } },
  async () => {
    const log = createLogger('test', 'silent');
    const queue = await createQueueBackend({ redisUrl: undefined, databaseUrl: postgres.url, log });
    const services = { db, queue, log };
    const interactive = await openInteractive(services);
    const starter = createStarter(services, 'wrk_slow');
    const ender = createEnder(services);
    let ended = 0;
    const end = performance.now() + MEASURED_MS;
    const client = async (accountId: string): Promise<void> => {
      while (performance.now() < end) {
        const id = createId('request');
        const { outcome } = await interactive.submitter.call({
          id,
          accountId,
          kind: 'task',
          queue: 'interactive-http',
          price: 1,
          timeoutMs: 60_000,
          spec: { target: { type: 'api', id: 'none' }, input: {}, config: {} },
        });
        expect(outcome).toBe('queued');
        await starter.call({ id, attempt: 1 });
        expect(
          await ender.call({ id, accountId, attempt: 1, end: { state: 'succeeded', answer: '{}' } }),
        ).toBe(true);
        ended += 1;
      }
    };
    const from = performance.now();
    await Promise.all(accounts.map(client));
    const tookMs = performance.now() - from;
    console.log(`${Math.round((ended / tookMs) * 1_000)} requests/s with commits of ${COMMIT_MS} ms`);
    expect(ended / (tookMs / COMMIT_MS)).toBeGreaterThanOrEqual(8);
    await interactive.close();
    await queue.close();
  },
);
