import { ENGINE } from '@gleaner/db';
import { afterAll, expect, inject, it } from 'vitest';
import { createTestDatabase } from '@gleaner/db/testing';
import { createAccount } from '../../accounts/change-accounts.ts';
import { findViolations } from '../../testing/find-violations.ts';
import { openConfig, sealConfig } from '../secrets/sealed-config.ts';
import { loadConfig } from '../config/load-config.ts';
import { createLogger } from '../log/log.ts';
import { retentionRules } from './retention-rules.ts';
import { rebuildHollowIndexes, sweepRetention } from './sweep-retention.ts';

const { db, close } = await createTestDatabase();
const { sql } = db;
afterAll(close);
const log = createLogger('test', 'silent');
const rules = retentionRules(loadConfig({}));

const SCRAPES = inject('isLong') ? 100_000 : 20_000;
const JOBS = SCRAPES / 10;
const TABLES = ['runs', 'ledger_entries', 'ledger_days', 'outbox', 'requests', 'tasks', 'results', 'chunks'];

async function bytes(): Promise<number> {
  // Vacuum is the server's own work: here it runs now, and not within a minute.
  for (const table of TABLES.slice(0, 5)) await sql.unsafe(`VACUUM (ANALYZE) gleaner.${table}`);
  const [row] = await sql<{ bytes: string }[]>`
    SELECT sum(pg_total_relation_size(format('gleaner.%I', name)::regclass)) AS bytes FROM unnest(${TABLES}::text[]) name`;
  return Number(row?.bytes);
}

it('leaves under 1 MB of many scrapes and jobs, and a ledger that still adds up', async () => {
  const { account } = await createAccount(db, { name: 'a', credits: 1_000_000 });
  const empty = await bytes();
  await sql`
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, created_at)
    SELECT ${account.id}, kind, 1, ${sql(ENGINE)}.create_id('req'), now() - n * interval '10 seconds'
    FROM generate_series(1, ${SCRAPES}::int) n, unnest(ARRAY['reserve', 'settle']) kind`;
  await sql`
    INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, retries, price, budget,
      total, carved, last_served, succeeded, used, created_at, finished_at)
    SELECT ${sql(ENGINE)}.create_id('job'), n, ${account.id}, 'job', 'a job', 'succeeded', 'return', 'batch-http',
      '{"type": "api", "id": "x"}', jsonb_build_object('note', repeat('x', 500)), 2, 1, 1, 1, 1, 0, 1, 1, now() - interval '2 days', now()
    FROM generate_series(1, ${JOBS}::int) n`;
  await sql`
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference)
    SELECT r.account_id, e.kind, 1, r.id FROM gleaner.runs r, unnest(ARRAY['reserve', 'settle']) e (kind)`;
  await sql`
    INSERT INTO gleaner.outbox (id, account_id, url, event, payload, state, next_attempt_at)
    SELECT ${sql(ENGINE)}.create_id('dlv'), ${account.id}, 'https://x.example/', 'job.finished', repeat('p', 500), 'delivered', NULL
    FROM gleaner.runs`;
  await sql`
    INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
    SELECT e.account_id, date_trunc('hour', e.created_at, 'UTC'), '', '', '', '', 0, 0, sum(e.credits)
    FROM gleaner.ledger_entries e WHERE e.kind = 'settle' GROUP BY 1, 2`;
  await sql`UPDATE gleaner.accounts SET used = ${SCRAPES + JOBS}, balance = granted - ${SCRAPES + JOBS}`;
  expect(await findViolations(db)).toEqual([]);

  // A hundred days later.
  await sql`UPDATE gleaner.ledger_entries SET created_at = created_at - interval '100 days'`;
  await sql`UPDATE gleaner.runs SET created_at = created_at - interval '100 days', finished_at = finished_at - interval '100 days'`;
  await sql`UPDATE gleaner.outbox SET created_at = created_at - interval '100 days'`;
  await sql`UPDATE gleaner.usage_hours SET hour = hour - interval '100 days'`;
  const before = await bytes();
  const started = performance.now();
  const removed: Record<string, number> = {};
  for (let round = await sweepRetention({ db, log }, rules); ;) {
    for (const [kind, count] of Object.entries(round)) removed[kind] = (removed[kind] ?? 0) + count;
    if (Object.values(round).every((count) => count === 0)) break;
    round = await sweepRetention({ db, log }, rules);
  }
  const seconds = (performance.now() - started) / 1000;
  expect(removed).toMatchObject({ runs: JOBS, deliveries: JOBS, 'ledger entries': 2 * (SCRAPES + JOBS) + 1 });
  let rebuilt = 0;
  let left = Infinity;
  // While the server analyzes a table, it keeps rows that are gone.
  const shrink = async (): Promise<number> => {
    await bytes();
    rebuilt += (await rebuildHollowIndexes(db)).length;
    left = (await bytes()) - empty;
    return left;
  };
  await expect.poll(shrink, { timeout: 120_000 }).toBeLessThan(1_000_000);
  const rows = Object.values(removed).reduce((sum, count) => sum + count, 0);
  console.info(
    `retention: ${rows} rows in ${seconds.toFixed(1)} s (${Math.round(rows / seconds)}/s), ` +
      `${(before / 1e6).toFixed(1)} MB → ${(left / 1e6).toFixed(2)} MB more than empty, ${rebuilt} indexes rebuilt`,
  );
  expect(await findViolations(db)).toEqual([]);
  // The audit reads the days: it notices one that is wrong.
  await sql`UPDATE gleaner.ledger_days SET settled = settled + 1 WHERE ctid = (SELECT min(ctid) FROM gleaner.ledger_days)`;
  expect(await findViolations(db)).toHaveLength(1);
});

it('keeps what is not old enough or has not ended', async () => {
  const { account } = await createAccount(db, { name: 'b', credits: 10 });
  await sql`
    INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, retries, price, budget, total,
      last_served, finished_at)
    VALUES ('job_new', 1, ${account.id}, 'job', 'failed', 'return', 'batch-http', '{}', '{}', 0, 0, 1, 1, 0,
        now() - interval '89 days'),
      ('job_live', 2, ${account.id}, 'job', 'running', 'return', 'batch-http', '{}', '{}', 0, 0, 1, 1, 0, NULL)`;
  await sweepRetention({ db, log }, rules);
  expect(await sql`SELECT id FROM gleaner.runs WHERE account_id = ${account.id} ORDER BY id`).toEqual([
    { id: 'job_live' },
    { id: 'job_new' },
  ]);
  expect(await sql`SELECT kind FROM gleaner.ledger_entries WHERE account_id = ${account.id}`).toHaveLength(1);
  await sql`DELETE FROM gleaner.runs WHERE account_id = ${account.id}`;
});

it('removes firings that are older than 90 days, and none that waits or whose run goes on', async () => {
  const { account } = await createAccount(db, { name: 'f', credits: 10 });
  await sql`
    INSERT INTO gleaner.crons (id, account_id, name, description, input_count, schedule, timezone, target, scrape_config,
      is_enabled, overlap, pause_after_failures)
    VALUES ('crn_a', ${account.id}, 'c', '', 0, '* * * * *', 'UTC', '{}', '{}', false, 'skip', 5)`;
  await sql`
    INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, outcome, cause, is_live)
    SELECT ${sql(ENGINE)}.create_id('fir', f.at), 'crn_a', ${account.id}, f.at, f.outcome, 'schedule', f.is_live
    FROM (VALUES (now() - interval '91 days', 'skipped', false), (now() - interval '92 days', 'queued', false),
      (now() - interval '93 days', 'submitted', true), (now() - interval '89 days', 'submitted', false))
      f (at, outcome, is_live)`;
  await sweepRetention({ db, log }, rules);
  expect(await sql`SELECT outcome, is_live FROM gleaner.cron_firings ORDER BY scheduled_at`).toEqual([
    { outcome: 'submitted', is_live: true },
    { outcome: 'queued', is_live: false },
    { outcome: 'submitted', is_live: false },
  ]);
});

it('removes requests that ended together together: their ledger entry is the sum of them all', async () => {
  const { account } = await createAccount(db, { name: 'g', credits: 10 });
  await sql`
    INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, lease_until, deadline_at, finished_at)
    SELECT 'req_g' || n, ${account.id}, 'task', 'failed', 'interactive-http', 0, now(), now(),
      now() - interval '1 hour' * CASE WHEN n = 1 THEN 2 ELSE 1 END
    FROM generate_series(1, 5) n`;
  const rule = rules.find(({ kind }) => kind === 'requests');
  expect(await rule?.remove(db.orm, 0, 2)).toBe(5);
});

it('encrypts headers and cookies of a run, and removes them at its end', async () => {
  const { account } = await createAccount(db, { name: 'c', credits: 10 });
  const place = { secretKey: '5e'.repeat(32), id: 'job_secret' };
  const config = { timeout: 1000, headers: { authorization: 'Bearer hush!' }, cookies: { sid: 'hush!' } };
  const sealed = JSON.stringify(sealConfig(config, place));
  expect(sealed).not.toMatch(/hush!|"authorization\\?"|"sid\\?"/);
  expect(openConfig(JSON.parse(sealed) as never, place)).toEqual(config);
  expect(() => openConfig(JSON.parse(sealed) as never, { ...place, id: 'job_other' })).toThrow();
  await sql`
    INSERT INTO gleaner.runs (id, no, account_id, kind, state, mode, queue, target, config, retries, price, budget, total,
      last_served)
    VALUES ('job_secret', 3, ${account.id}, 'job', 'running', 'return', 'batch-http', '{}', ${sealed}::jsonb, 0, 0, 1, 1, 0)`;
  await sql`UPDATE gleaner.runs SET state = 'failed', finished_at = now() WHERE id = 'job_secret'`;
  const [row] = await sql`SELECT config FROM gleaner.runs WHERE id = 'job_secret'`;
  expect(row).toEqual({ config: { timeout: 1000, sealed: null } });
});

it('removes the spec of a request at its end', async () => {
  const { account } = await createAccount(db, { name: 'd', credits: 10 });
  await sql`
    INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, spec, lease_until, deadline_at)
    VALUES ('req_secret', ${account.id}, 'task', 'queued', 'interactive-http', 0, '{"a": 1}', now(), now())`;
  await sql`SELECT ${sql(ENGINE)}.end_requests('{req_secret}', '{NULL}', '{failed}', '', '{}', NULL)`;
  const [row] = await sql`SELECT state, spec FROM gleaner.requests WHERE id = 'req_secret'`;
  expect(row).toEqual({ state: 'failed', spec: null });
});
