import type { Database } from '@gleaner/db';
import { startBenchWorld } from './engine/bench-world.ts';
import { printResult, printTable } from './load/output.ts';
import { startSite } from '../test/system/start-site.ts';
import type { Client } from '../test/system/start-system.ts';
import { until } from '../test/system/until.ts';
import { median } from './load/statistics.ts';

const SIZES = { parsers: 1_000, crons: 100, days: 90, rows: 1_000_000 };
const ROUNDS = 7;
/** Bar of the design, for all calls of the first page one after another on a quiet machine. */
const BAR_MS = 1_000;

/** An identifier with 16 digits of its own, made at this time: lists go by it. */
const ID_AT = `
  CREATE FUNCTION pg_temp.id_at(prefix text, at timestamptz, own bigint) RETURNS text LANGUAGE sql AS $$
    SELECT prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      ((extract(epoch FROM at) * 1000)::bigint / (32::numeric ^ (9 - p))::bigint % 32)::int + 1, 1), '' ORDER BY p)
      || lpad(own::text, 16, '0') FROM generate_series(0, 9) p $$`;

interface Table {
  database: string;
  name: string;
}

/** The account's parsers and crons, and what ninety days left: a run a day of each cron, and some by hand. */
async function fill({ sql }: Database, account: string, table: Table): Promise<void> {
  const { parsers, crons, days } = SIZES;
  const sink = JSON.stringify({ mode: 'database', database: table.database, table: table.name });
  await sql.begin(async (tx) => {
    await tx.unsafe(ID_AT);
    const [{ began } = { began: '' }] = await tx<{ began: string }[]>`
      SELECT (now() - ${days} * interval '1 day')::text AS began`;
    await tx`
      INSERT INTO gleaner.parsers (id, account_id, name, version, scrape_config, created_at)
      SELECT pg_temp.id_at('prs', ${began}::timestamptz, i), ${account}, 'parser ' || i, 1, '{}', ${began}::timestamptz FROM generate_series(1, ${parsers}::int) i`;
    await tx`
      INSERT INTO gleaner.parser_versions (parser_id, version, schema)
      SELECT id, 1, '{"fields": {"title": "h1"}}' FROM gleaner.parsers WHERE account_id = ${account} ON CONFLICT DO NOTHING`;
    await tx`
      INSERT INTO gleaner.crons (id, account_id, name, description, input_count, inputs, schedule, timezone, target, scrape_config,
        sink, is_enabled, overlap, pause_after_failures, next_fire_at, created_at)
      SELECT pg_temp.id_at('crn', ${began}::timestamptz, i), ${account}, 'cron ' || i, '', 1, '["http://127.0.0.1:1/"]', '0 3 * * *', 'UTC',
        jsonb_build_object('type', 'parser', 'parserId', pg_temp.id_at('prs', ${began}::timestamptz, i), 'version', null), '{}',
        ${sink}::text::jsonb, true, 'skip', 10, now() + interval '1 day' + i * interval '1 s', ${began}::timestamptz
      FROM generate_series(1, ${crons}::int) i`;
    // Eleven of a day's runs were made by hand, each of another parser.
    await tx`
      INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, retries, price, budget, total,
        carved, last_served, succeeded, failed, used, cron_id, finished_at, created_at, sink)
      SELECT pg_temp.id_at('bat', n.at, n.d * 1000 + n.i), (extract(epoch FROM n.at) * 1000)::bigint * 1048576 + 500000 + n.i,
        ${account}, 'batch', 'run', 'succeeded', 'database', 'batch-http',
        jsonb_build_object('type', 'parser', 'parserId', pg_temp.id_at('prs', ${began}::timestamptz, n.parser), 'version', 1), '{}', 0, 1, 100, 100,
        100, 0, 100 - n.failed, n.failed, 100 - n.failed,
        CASE WHEN n.i <= ${crons} THEN pg_temp.id_at('crn', ${began}::timestamptz, n.i) END, n.at, n.at, ${sink}::text::jsonb
      FROM (
        SELECT d, i, now() - d * interval '1 day' + i * interval '1 s' AS at, CASE WHEN i % 9 = 0 THEN 10 ELSE 0 END AS failed,
          CASE WHEN i <= ${crons} THEN i ELSE (d * 11 + i) % ${parsers} + 1 END AS parser
        FROM generate_series(0, ${days - 1}::int) d, generate_series(1, ${crons + 11}::int) i
      ) n`;
    await tx`
      INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, fired_at, outcome, cause, run_id)
      SELECT 'fir_' || substr(id, 5), cron_id, account_id, created_at, created_at, 'started', 'schedule', id
      FROM gleaner.runs WHERE account_id = ${account} AND cron_id IS NOT NULL`;
    await tx`
      INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
      SELECT account_id, date_trunc('hour', created_at, 'UTC'), 'key_1', target ->> 'parserId', coalesce(cron_id, ''),
        'h' || h || '.example', 33, 3, 33
      FROM gleaner.runs, generate_series(1, 3) h WHERE account_id = ${account} ON CONFLICT DO NOTHING`;
  });
  await sql`ANALYZE gleaner.runs, gleaner.parsers, gleaner.crons, gleaner.cron_firings, gleaner.usage_hours`;
}

/** Makes the table as a run does, and fills it with rows of ninety days. */
async function fillTable({ sql }: Database, client: Client, { database, name }: Table): Promise<void> {
  const site = await startSite();
  try {
    const schema = { fields: { title: 'title', price: { const: '12.5', type: 'number' } } };
    const parser = await client.call('POST', '/v1/parsers', { name: 'kettles', schema });
    const target = { type: 'parser', parserId: (parser.json as { id: string }).id };
    const sink = { mode: 'database', database, table: name, key: ['_url'] };
    const urls = [`${site.url}/product`];
    const made = await client.call('POST', '/v1/batches', { target, urls, sink });
    const path = `/v1/batches/${(made.json as { id: string }).id}`;
    await until('the first row', async () => (await client.call('GET', path)).text.includes('"succeeded":1'));
  } finally {
    await site.close();
  }
  const [place] = await sql<{ schema: string }[]>`
    SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = ${name}`;
  if (place === undefined) throw new Error('the table was not made');
  const table = `"${place.schema}"."${name}"`;
  const { days, rows } = SIZES;
  await sql.unsafe(`
    INSERT INTO ${table} (_url, _run_id, _fetched_at, title, price)
    SELECT 'https://h.example/' || i, 'bat_' || i % 10000, now() - i % ${days * 1_440} * interval '1 minute', 'Kettle ' || i, i % 997
    FROM generate_series(1, ${rows}) i`);
  await sql.unsafe(`ANALYZE ${table}`);
}

/** How long the calls of the first page take for an account with much behind it. */
export async function run(): Promise<void> {
  const world = await startBenchWorld('postgres');
  try {
    const client = await world.system.client({ name: 'large', credits: 1_000_000 });
    const { json } = await client.call('POST', '/v1/databases', { name: 'shop', kind: 'managed' });
    const table = { database: (json as { id: string }).id, name: 'kettles' };
    await fillTable(world.db, client, table);
    await fill(world.db, client.accountId, table);
    const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
    const paths = [
      '/v1/overview',
      '/v1/collections?limit=20',
      `/v1/usage?group_by=hour&from=${ago(24)}`,
      `/v1/usage?group_by=day&from=${ago(720)}`,
      '/v1/parsers?limit=1',
      '/v1/credits',
      // Today counts the rows of tables, and a collection shows its latest ones.
      `/v1/databases/${table.database}`,
      `/v1/databases/${table.database}/tables/${table.name}/rows?limit=100&order_by=-_fetched_at`,
    ];
    const lines: { call: string; 'median ms': number; 'first ms': number }[] = [];
    for (const path of paths) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const from = performance.now();
        const { status, text } = await client.call('GET', path);
        if (status !== 200) throw new Error(`${path}: ${text}`);
        times.push(performance.now() - from);
      }
      const first = Math.round(times[0] ?? 0);
      lines.push({
        call: path.replace(/&from.*/, '').replace(table.database, 'DB'),
        'median ms': Math.round(median(times)),
        'first ms': first,
      });
    }
    printTable(lines);
    const ms = lines.reduce((sum, line) => sum + line['median ms'], 0);
    printResult({ ...SIZES, ms, bar: BAR_MS, lines });
  } finally {
    await world.stop();
  }
}
