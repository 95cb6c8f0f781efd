import { setTimeout as delay } from 'node:timers/promises';
import { ENGINE, type Database } from '@gleaner/db';
import type { Client } from '../../test/system/start-system.ts';
import type { BenchWorld } from '../engine/bench-world.ts';
import { openTenant } from '../engine/open-tenant.ts';

/** Fires the cron once, so that its table exists. */
async function fireOnce(client: Client, cronId: string): Promise<void> {
  const fired = await client.call('POST', `/v1/crons/${cronId}/trigger`);
  if (fired.status >= 300) throw new Error(fired.text);
  const { run_id: runId } = fired.json as { run_id: string };
  for (;;) {
    const run = await client.call('GET', `/v1/batches/${runId}`);
    const { status } = run.json as { status: string };
    if (status === 'succeeded') return;
    if (status !== 'pending' && status !== 'running') throw new Error(run.text);
    await delay(100);
  }
}

/** Accounts, each with a parser, a database with its table, and as many crons, copied from one that the API made. */
export async function addCrons(
  db: Database,
  world: BenchWorld,
  { name, accounts, each, url }: { name: string; accounts: number; each: number; url: string },
): Promise<void> {
  const { client, parserId } = await openTenant(world);
  const database = await client.call('POST', '/v1/databases', { name: 'rows', kind: 'managed' });
  const made = await client.call('POST', '/v1/crons', {
    name,
    description: '',
    url,
    schedule: '0 0 29 2 *',
    target: { type: 'parser', parserId },
    sink: { mode: 'database', database: (database.json as { id: string }).id, table: 'items' },
  });
  if (made.status !== 201) throw new Error(made.text);
  const { id } = made.json as { id: string };
  const { id: first } = database.json as { id: string };
  await fireOnce(client, id);
  await db.sql.begin(async (sql) => {
    await sql`CREATE TEMP TABLE new_accounts ON COMMIT DROP AS
      SELECT n, ${sql(ENGINE)}.create_id('acc') AS account, ${sql(ENGINE)}.create_id('prs') AS parser, ${sql(ENGINE)}.create_id('db') AS database
      FROM generate_series(1, ${accounts}) n`;
    await sql`INSERT INTO gleaner.accounts (id, name, granted, balance, concurrency, requests_per_minute, pending_limit,
        cron_limit, cron_min_interval_seconds)
      SELECT n.account, ${name} || n.n, 1000, 1000, 10, 30000, 1000000, 1000, 60 FROM new_accounts n`;
    await sql`INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference)
      SELECT n.account, 'grant', 1000, n.account FROM new_accounts n`;
    await sql`INSERT INTO gleaner.parsers (id, account_id, name, version, scrape_config)
      SELECT n.parser, n.account, 'p', 1, '{}' FROM new_accounts n`;
    await sql`INSERT INTO gleaner.parser_versions (parser_id, version, schema)
      SELECT n.parser, 1, v.schema FROM new_accounts n, gleaner.parser_versions v WHERE v.parser_id = ${parserId}`;
    await sql`INSERT INTO gleaner.databases (id, account_id, name, kind)
      SELECT n.database, n.account, 'rows', 'managed' FROM new_accounts n`;
    await sql`INSERT INTO gleaner.crons (id, account_id, name, description, url, input_count, schedule, timezone, target,
        scrape_config, sink, is_enabled, overlap, pause_after_failures, next_fire_at)
      SELECT ${sql(ENGINE)}.create_id('crn'), n.account, ${name}, '', c.url || '?' || n.n || '-' || k, 1, c.schedule, 'UTC',
        jsonb_set(c.target, '{parserId}', to_jsonb(n.parser)), '{}',
        jsonb_set(c.sink, '{database}', to_jsonb(n.database)), true, 'skip', 10, c.next_fire_at
      FROM gleaner.crons c, new_accounts n, generate_series(1, ${each}) k WHERE c.id = ${id}`;
  });
  // Rows go into tables that exist, as they do after the first firing. In parts, because each takes locks.
  for (;;) {
    const missing = await db.sql<{ id: string }[]>`
      SELECT id FROM gleaner.databases WHERE NOT EXISTS (SELECT 1 FROM pg_namespace p WHERE p.nspname = databases.id) LIMIT 200`;
    if (missing.length === 0) break;
    await db.sql.unsafe(missing.map((row) => createTable(row.id, first)).join(';'));
  }
}

function createTable(schema: string, like: string): string {
  return `CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".items (LIKE "${like}".items INCLUDING ALL)`;
}
