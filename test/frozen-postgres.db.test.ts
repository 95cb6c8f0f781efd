import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toAppError } from '@gleaner/core';
import { createDatabase } from '@gleaner/db';
import { startPostgres } from '@gleaner/embedded-postgres';
import { createQueueBackend, migratePostgresQueue } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { freezeTree } from './processes/freeze.ts';

/** A server of its own, because it is frozen. */
const dataDir = await mkdtemp(join(tmpdir(), 'gleaner-frozen-'));
// As root the server runs as another user, who must be able to pass through.
await chmod(dataDir, 0o711);
const server = await startPostgres({ dataDir, durable: false, log: () => undefined });
await migratePostgresQueue(server.url);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const queue = await createQueueBackend({
  redisUrl: undefined,
  databaseUrl: server.url,
  patienceMs: 2_000,
  log,
});
const db = createDatabase(server.url, { max: 2, patienceMs: 2_000 });
afterAll(async () => {
  await db.close();
  await queue.close();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function failureOf(work: Promise<unknown>) {
  return work.then(() => undefined, toAppError);
}

it('a frozen Postgres leaves no statement and no delivery without an end: each is 503, and both work again afterwards', async () => {
  await db.sql`SELECT 1`;
  await queue.ping();
  const goOn = freezeTree(server.pid);
  try {
    // More than there are connections, and a transaction between two statements.
    const statements = Array.from({ length: 5 }, () => failureOf(db.sql`SELECT 1`.execute()));
    const failures = await Promise.all([
      ...statements,
      failureOf(db.transact((tx) => tx.execute('SELECT 1'))),
      failureOf(queue.deliver([{ queue: 'batch-http', jobId: 'a', payload: { kind: 'canary' } }])),
    ]);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'temporarily_unavailable' });
    // Those that come later too.
    expect(await failureOf(db.sql`SELECT 1`.execute())).toMatchObject({ code: 'temporarily_unavailable' });
  } finally {
    goOn();
  }
  await expect.poll(() => failureOf(db.sql`SELECT 1`.execute()), { timeout: 100_000 }).toBeUndefined();
  await expect.poll(() => failureOf(queue.ping()), { timeout: 100_000 }).toBeUndefined();
});
