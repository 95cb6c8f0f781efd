import { ENGINE, createDatabase } from '@gleaner/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listDeliveries } from '../../events/webhooks/deliveries.ts';
import { listBatches } from '../../runs/batches/read-batches.ts';
import { listJobs } from '../../runs/jobs/read-jobs.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';

const { services, database, close } = await openTestServices();
const { sql } = services.db;
/** One connection, so that it can be told to report what its statements read. */
const db = createDatabase(database.url, { max: 1 });
const { accountId } = await createTestAccount(services);
const ctx = testContext({ ...services, db }, accountId);
const none = { params: undefined, body: undefined, upload: undefined };
const ROWS = 20_000;

beforeAll(async () => {
  for (const [kind, prefix] of [
    ['job', 'job'],
    ['batch', 'bat'],
  ] as const) {
    await sql`
      INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, retries, price, budget,
        total, carved, last_served, succeeded, finished_at)
      SELECT ${prefix}::text || '_' || lpad(i::text, 26, '0'), ${sql(ENGINE)}.number_at(now()) + ${kind === 'job' ? 0 : ROWS} + i,
        ${accountId}, ${kind}, 'succeeded', 'return', 'batch-http', '{"type": "api", "id": "x"}', '{}', 0, 1, 1,
        1, 1, 0, 1, now() FROM generate_series(1, ${ROWS}::int) i`;
  }
  await sql`
    INSERT INTO gleaner.outbox (id, account_id, url, event, payload, state)
    SELECT 'dlv_' || lpad(i::text, 26, '0'), ${accountId}, 'https://a.example/', 'job.finished', '{}', 'delivered'
    FROM generate_series(1, ${ROWS}::int) i`;
  await sql.unsafe('VACUUM ANALYZE gleaner.runs');
  await sql.unsafe('VACUUM ANALYZE gleaner.outbox');
});
afterAll(async () => {
  await db.close();
  await close();
});

async function countRead(): Promise<number> {
  await db.sql`SELECT pg_stat_force_next_flush()`;
  const [row] = await db.sql<{ read: number }[]>`
    SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read
    FROM pg_stat_user_tables WHERE schemaname = 'gleaner' AND relname IN ('runs', 'outbox')`;
  return row?.read ?? -1;
}

it.each([
  ['jobs', () => listJobs(ctx, { ...none, query: { limit: 20, status: 'failed' } })],
  ['batches', () => listBatches(ctx, { ...none, query: { limit: 20, status: 'failed' } })],
  ['runs with failures', () => listBatches(ctx, { ...none, query: { limit: 20, has_failures: true } })],
  ['runs with held rows', () => listJobs(ctx, { ...none, query: { limit: 20, held: true } })],
  ['runs of a table', () => listBatches(ctx, { ...none, query: { limit: 20, table: 'kettles' } })],
  ['runs of a cron', () => listBatches(ctx, { ...none, query: { limit: 20, cron: 'crn_1' } })],
  ['deliveries', () => listDeliveries(ctx, { ...none, query: { limit: 20, status: 'failed' } })],
])('a page of %s with a filter that nothing fits reads no rows of others', async (_list, read) => {
  const before = await countRead();
  await read();
  expect((await countRead()) - before).toBeLessThan(100);
});
