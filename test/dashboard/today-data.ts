import { ENGINE } from '@gleaner/db';
import type { Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import type { Dashboard } from './start-dashboard.ts';

const DAYS = 30;

/** An account that collects for a month: its crons ran every day, and last night some pages failed. */
export interface TodayData {
  cron: string;
  parser: string;
  table: string;
}

const DAY_MS = 86_400_000;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The identifier of what was made then: retention goes by its time. @param own 16 characters */
function idAt(prefix: string, at: number, own: string): string {
  const time = Array.from({ length: 10 }, (_, place) => DIGITS[Math.floor(at / 32 ** (9 - place)) % 32]);
  return `${prefix}_${time.join('')}${own}`;
}

/** What earlier days left: firings with their runs, and what they used. */
async function fillPast({ system }: Dashboard, accountId: string, cron: string): Promise<void> {
  const { sql } = system.db;
  const days = Array.from({ length: DAYS - 1 }, (_, index) => {
    const at = Date.now() - (DAYS - 1 - index) * DAY_MS;
    const own = cron.slice(-16);
    return {
      i: index + 1,
      at: new Date(at).toISOString(),
      batch: idAt('bat', at, own),
      firing: idAt('fir', at, own),
    };
  });
  const past = sql`json_to_recordset(${JSON.stringify(days)}::text::json) AS d (i int, at timestamptz, batch text, firing text)`;
  await sql`
    INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, retries, price, budget,
      total, carved, last_served, succeeded, failed, used, cron_id, finished_at, created_at)
    SELECT d.batch, ${sql(ENGINE)}.number_at(now()) + (hashtext(${cron}) & 65535) * 16384 + d.i, ${accountId}, 'batch',
      'of day ' || d.i, 'succeeded', 'return', 'batch-http', '{"type": "parser", "parserId": "prs_past", "version": 1}', '{}', 0, 1,
      40, 40, 40, 0, 40 - f.failed, f.failed, 40 - f.failed, ${cron}, d.at, d.at
    FROM ${past} CROSS JOIN LATERAL (SELECT CASE WHEN d.i % 9 = 0 THEN 6 ELSE 0 END AS failed) f`;
  await sql`
    INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, fired_at, outcome, cause, run_id)
    SELECT d.firing, ${cron}, ${accountId}, d.at, d.at, CASE WHEN d.i % 13 = 0 THEN 'skipped' ELSE 'started' END, 'schedule',
      CASE WHEN d.i % 13 = 0 THEN NULL ELSE d.batch END
    FROM ${past}`;
  await sql`
    INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
    SELECT ${accountId}, date_trunc('hour', now(), 'UTC') - i * interval '1 hour', '', '', ${cron}, 'shop.example',
      20 + (i * 37) % 60, CASE WHEN i % 11 = 0 THEN 9 ELSE 0 END, 20 + (i * 37) % 60
    FROM generate_series(1, ${DAYS * 24}::int) i`;
}

export async function makeTodayData(dashboard: Dashboard, client: Client, site: Site): Promise<TodayData> {
  const create = async (path: string, body: unknown): Promise<string> => {
    const { json, status, text } = await client.call('POST', path, body);
    if (status >= 300) throw new Error(`${path}: ${text}`);
    return (json as { id: string }).id;
  };
  const schema = {
    fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'number' } },
  };
  const parser = await create('/v1/parsers', { name: 'kettles', schema });
  const database = await create('/v1/databases', { name: 'shop', kind: 'managed' });
  const target = { type: 'parser', parserId: parser };
  const sink = { mode: 'database', database, table: 'kettles' };
  const urls = Array.from({ length: 12 }, (_, index) => `${site.url}/product?n=${index}`);
  const scrape_config = { retries: 0 };
  const cron = await create('/v1/crons', {
    name: 'Kettle prices, every morning',
    description: '',
    schedule: '30 6 * * *',
    timezone: 'Europe/Berlin',
    target,
    inputs: [...urls, `${site.url}/missing`, `${site.url}/missing?2`],
    scrape_config,
    sink,
  });
  await create('/v1/crons', {
    name: 'Stock, every hour',
    description: '',
    schedule: '5 * * * *',
    timezone: 'UTC',
    target,
    inputs: urls.slice(0, 3),
    sink: { ...sink, table: 'stock' },
  });
  await fillPast(dashboard, client.accountId, cron);
  const batch = await create('/v1/batches', { name: 'by hand', target, sink, urls: urls.slice(0, 5) });
  await client.call('POST', `/v1/crons/${cron}/trigger`);
  await until('the runs have ended', async () => {
    const { json } = await client.call('GET', `/v1/batches/${batch}`);
    const { json: fired } = await client.call('GET', `/v1/crons/${cron}/runs?limit=1`);
    const [last] = (fired as { runs: { run: { status: string } | null }[] }).runs;
    return (json as { status: string }).status === 'succeeded' && last?.run?.status === 'succeeded';
  });
  return { cron, parser, table: `/databases/${database}/kettles` };
}
