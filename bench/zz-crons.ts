// Scratch: fires N prepared crons in this process.
import { readFile } from 'node:fs/promises';
import { createDatabase } from '@gleaner/db';
import {
  createLogger,
  createParserCache,
  createExternalDatabases,
  loadConfig,
  prepareDatabase,
} from '@gleaner/core';
import { createEarlyFirings } from '../packages/core/src/crons/firings/early-firings.ts';
const url = (await readFile('/tmp/eng-pg-url', 'utf8')).trim();
await prepareDatabase(url);
const db = createDatabase(url, { max: 8 });
const accounts = Number(process.argv[2] ?? 100),
  each = Number(process.argv[3] ?? 10);
const log = createLogger('zz', 'warn');
const queue: any = { deliver: async () => undefined, signals: { send: () => undefined } };
const external = createExternalDatabases({
  secretKey: undefined,
  resolveEgress: async (host: string, port: number) => ({ host, port }) as any,
});
const services: any = { db, queue, log, config: loadConfig({}), external, parsers: createParserCache(db) };
const tag = 'z' + Date.now();
await db.sql.begin(async (sql) => {
  await sql`CREATE TEMP TABLE n ON COMMIT DROP AS SELECT k AS n, engine.create_id('acc') AS account, engine.create_id('prs') AS parser, engine.create_id('db') AS database FROM generate_series(1, ${accounts}) k`;
  await sql`INSERT INTO gleaner.accounts (id, name, granted, balance, concurrency, requests_per_minute, pending_limit, cron_limit, cron_min_interval_seconds) SELECT account, ${tag} || n, 1000, 1000, 10, 30000, 1000000, 1000, 60 FROM n`;
  await sql`INSERT INTO gleaner.parsers (id, account_id, name, version, scrape_config) SELECT parser, account, 'p', 1, '{}' FROM n`;
  await sql`INSERT INTO gleaner.parser_versions (parser_id, version, schema) SELECT parser, 1, '{"fields":{"title":"h1"}}' FROM n`;
  await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) SELECT database, account, 'rows', 'managed' FROM n`;
  await sql`INSERT INTO gleaner.crons (id, account_id, name, description, url, input_count, schedule, timezone, target, scrape_config, sink, is_enabled, overlap, pause_after_failures, next_fire_at)
    SELECT engine.create_id('crn'), account, ${tag}, '', 'http://a.test/' || n || '-' || k, 1, '0 * * * *', 'UTC', jsonb_build_object('type','parser','parserId',parser), '{}', jsonb_build_object('mode','database','database',database,'table','items','contract','evolve','nulls','keep'), true, 'skip', 10, date_trunc('second', clock_timestamp()) + interval '8 s' FROM n, generate_series(1, ${each}) k`;
});
const early = createEarlyFirings(services);
let from = performance.now();
await early.prepare();
console.log('prepare ms', performance.now() - from);
await db.sql`ANALYZE gleaner.crons`;
await db.sql`SELECT pg_stat_reset()`;
for (;;) {
  const [r] =
    await db.sql`SELECT (extract(epoch FROM max(next_fire_at) - clock_timestamp())*1000)::float8 AS ms FROM gleaner.crons WHERE name = ${tag}`;
  if ((r as any).ms <= 0) break;
  await new Promise((x) => setTimeout(x, Math.min(200, (r as any).ms + 2)));
}
from = performance.now();
const cpu0 = process.cpuUsage();
await early.fire();
const wall = performance.now() - from;
const cpu = process.cpuUsage(cpu0);
console.log('fire ms', wall, 'node cpu ms', (cpu.user + cpu.system) / 1000);
from = performance.now();
await early.settled();
console.log('admit ms', performance.now() - from);
const [f] =
  await db.sql`SELECT count(*)::int AS fired, percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM fired_at - scheduled_at)) AS p99 FROM gleaner.cron_firings f JOIN gleaner.crons c ON c.id = f.cron_id WHERE c.name = ${tag}`;
console.log(f);
await db.sql`DELETE FROM gleaner.crons WHERE name = ${tag}`;
await external.close();
await db.close();
