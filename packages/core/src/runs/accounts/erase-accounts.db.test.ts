import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount } from '../../testing/test-services.ts';
import { beginErasure } from './begin-erasure.ts';
import { eraseAccounts } from './erase-accounts.ts';

const { services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

/** The tables that hold something of an account or its runs. */
async function tablesWith(account: string, runs: readonly string[]): Promise<string[]> {
  const columns = await sql<{ name: string; column: string }[]>`
    SELECT c.relname AS name, a.attname AS column
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('account_id', 'run_no')
    WHERE c.relnamespace = 'gleaner'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> 'erasures'`;
  const found = new Set<string>();
  for (const { name, column } of columns) {
    const values = column === 'account_id' ? [account] : runs;
    const rows =
      await sql`SELECT FROM gleaner.${sql(name)} WHERE ${sql(column)}::text = ANY (${[...values]}) LIMIT 1`;
    if (rows.length > 0) found.add(name);
  }
  return [...found].sort();
}

/** Tables that name neither an account nor a run: whose rows they hold, or with which rows theirs leave. */
const WITHOUT_ACCOUNT = {
  accounts: 'removed at the end',
  canaries: 'the installation',
  engine_versions: 'the installation',
  migrations: 'the installation',
  parser_versions: 'parsers',
  processes: 'the installation',
  queue_levels: 'the installation',
  queue_pauses: 'the installation',
  rate_limits: 'counts of minutes, which expire',
  sessions: 'api_keys',
  settings: 'the installation',
  sign_in_links: 'api_keys',
  system_samples: 'the installation',
  webhook_events: 'removed before their deliveries',
  workers: 'the installation',
};

it('every table names its account or its run, or is known to need neither', async () => {
  const tables = await sql<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = 'gleaner'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname IN ('account_id', 'run_no'))
    ORDER BY 1`;
  expect(tables.map(({ name }) => name)).toEqual(Object.keys(WITHOUT_ACCOUNT));
});

async function eraseAll(account: string): Promise<number> {
  for (let rounds = 1; rounds <= 1000; rounds += 1) {
    // A round that ends after its first part, as if it was killed there.
    await eraseAccounts(services, 0.001 + rounds * 5);
    const [row] =
      await sql`SELECT FROM gleaner.erasures WHERE account_id = ${account} AND ended_at IS NOT NULL`;
    if (row !== undefined) return rounds;
  }
  throw new Error('the account was not erased within 1,000 rounds');
}

it('erases all of an account in parts that may be cut anywhere, and nothing of another one', async () => {
  const { accountId, create } = await openCronAccount(services, { name: 'goes', credits: 1_000 });
  await create();
  const run = await submitTestRun(services, accountId, testUrls(20));
  const other = await createTestAccount(services, { credits: 100 });
  const stays = await submitTestRun(services, other.accountId, testUrls(20));
  for (const account of [accountId, other.accountId])
    await sql`
      WITH e AS (INSERT INTO gleaner.webhook_events (payload) VALUES (${account}) RETURNING no)
      INSERT INTO gleaner.outbox (id, account_id, url, event, event_no, payload, next_attempt_at)
      SELECT 'dlv_' || ${account}::text, ${account}, 'https://a.example/', 'job.finished', no, 'null', now() FROM e`;
  const before = await tablesWith(other.accountId, [stays.no]);
  expect(await tablesWith(accountId, [run.no])).toEqual(
    expect.arrayContaining(['api_keys', 'crons', 'databases', 'ledger_entries', 'parsers', 'runs', 'tasks']),
  );

  await expect(beginErasure(services.db, { account: accountId, name: 'GOES' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  const begun = await beginErasure(services.db, { account: accountId, name: 'goes' });
  expect(begun).toMatchObject({ account_id: accountId, ended_at: null });
  expect(await eraseAll(accountId)).toBeGreaterThan(1);

  expect(await tablesWith(accountId, [run.no])).toEqual([]);
  expect(await sql`SELECT FROM gleaner.accounts WHERE id = ${accountId}`).toHaveLength(0);
  expect(await sql`SELECT payload FROM gleaner.webhook_events`).toEqual([{ payload: other.accountId }]);
  expect(await tablesWith(other.accountId, [stays.no])).toEqual(before);
  const receipt = await beginErasure(services.db, { account: accountId, name: 'goes' });
  expect(receipt).toMatchObject({ name: 'goes', removed: { runs: 1, crons: 1, databases: 1 } });
  expect(receipt.ended_at).not.toBeNull();
});
