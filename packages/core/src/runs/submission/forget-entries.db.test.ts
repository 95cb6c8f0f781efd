import { ENGINE } from '@gleaner/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countRowsHandled } from '../../testing/count-rows-handled.ts';
import { createTestAccount, openTestServices, type TestServices } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { findNewEntries, forgetEntries } from './new-entries.ts';

const COUNT = 12_000;
const CRON = '77';
let open: TestServices;
beforeAll(async () => {
  open = await openTestServices();
});
afterAll(() => open.close());

/** A cron's run that took all its entries and fetched the first of them. */
async function startRun(): Promise<{ accountId: string; id: string; no: string }> {
  const { services } = open;
  const { sql } = services.db;
  const { accountId } = await createTestAccount(services, { credits: COUNT });
  const run = await submitTestRun(services, accountId, testUrls(COUNT));
  await sql`INSERT INTO gleaner.run_sources (run_no, source_no, account_id, kind, url, cron_no, state)
    VALUES (${run.no}, ${run.no}, ${accountId}, 'sitemap', 'http://a.test/', ${CRON}, 'read')`;
  await sql`INSERT INTO gleaner.source_marks (cron_no, hash, run_no)
    SELECT ${CRON}, ${sql(ENGINE)}.url_hash(input), run_no FROM gleaner.tasks WHERE run_no = ${run.no}`;
  await sql`INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer) VALUES (${run.no}, 0, 1, 1, true, '{}')`;
  return run;
}

async function marks(): Promise<number> {
  const [row] = await open.services.db.sql<{ n: number }[]>`
    SELECT count(*)::int AS n FROM gleaner.source_marks`;
  return row?.n ?? 0;
}

it('a cancelled run of a cron gives its entries back in parts, after the account is free', async () => {
  const { services } = open;
  const { sql } = services.db;
  const run = await startRun();
  const handled = await countRowsHandled(
    services.db.directUrl,
    `SELECT * FROM ${ENGINE}.cancel_run('${run.accountId}', '${run.id}')`,
  );
  expect(handled).toBeLessThan(1_000);
  expect(await marks()).toBe(COUNT);
  await sql`SELECT ${sql(ENGINE)}.forget_entries(NULL, 5000)`;
  expect(await marks()).toBe(COUNT - 4_999);
  // What reads the marks before all is done sees the end.
  const entries = testUrls(COUNT).map((address) => ({ url: address, modified: undefined }));
  const found = await findNewEntries(services.db, CRON, entries);
  expect(found).toEqual(entries.slice(1));
  expect(await marks()).toBe(1);
  await forgetEntries(services.db);
  expect(await sql`SELECT * FROM gleaner.unforgotten_runs`).toEqual([]);
});

it('a cron that gets another source forgets its entries in parts too', async () => {
  const { sql } = open.services.db;
  await sql`INSERT INTO gleaner.source_marks (cron_no, hash, run_no) SELECT 78, n, 1 FROM generate_series(1, 6000) n`;
  const before = await marks();
  await sql`INSERT INTO gleaner.unforgotten_runs (run_no, cron_no) VALUES (-78, 78)`;
  expect(await marks()).toBe(before);
  await sql`SELECT ${sql(ENGINE)}.forget_entries(NULL, 5000)`;
  expect(await marks()).toBe(before - 5_000);
  await forgetEntries(open.services.db);
  expect(await marks()).toBe(before - 6_000);
});
