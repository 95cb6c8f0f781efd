// Scratch: buffers per step of a job with a snapshot held.
import { readFile } from 'node:fs/promises';
import { createDatabase } from '@gleaner/db';
import { prepareDatabase } from '@gleaner/core';
const url = (await readFile('/tmp/eng-pg-url', 'utf8')).trim();
await prepareDatabase(url);
const db = createDatabase(url, { max: 3 });
const N = Number(process.argv[2] ?? 3000);
const hold = process.argv[3] !== 'free';
const acc = 'acc_' + Date.now();
await db.sql`INSERT INTO gleaner.accounts (id, name, granted, balance, concurrency, requests_per_minute, pending_limit, cron_limit, cron_min_interval_seconds) VALUES (${acc}, ${acc}, 1000000, 1000000, 10, 30000, 1000000, 1000, 60)`;
let end: any;
const held = hold
  ? db.sql.begin('ISOLATION LEVEL REPEATABLE READ', async (tx) => {
      await tx`SELECT count(*) FROM gleaner.accounts`;
      await new Promise((r) => (end = r));
    })
  : undefined;
await new Promise((r) => setTimeout(r, 300));
const total = (rows: any[]) => {
  const p = rows[0]['QUERY PLAN'][0].Plan;
  return p['Shared Hit Blocks'] + p['Shared Read Blocks'];
};
const run = (id: string) =>
  JSON.stringify({
    id,
    account_id: acc,
    kind: 'job',
    mode: 'return',
    queue: 'batch-http',
    target: { type: 'parser', parserId: 'p', version: 1 },
    config: {},
    retries: 2,
    price: 1,
    budget: 1,
    total: 1,
    inputs: 'http://a.test/',
  });
let from = performance.now();
for (let i = 0; i < N; i += 1) {
  const id = `job_${acc}_${i}`;
  const show = i % (N / 10) === 0 || i === N - 1;
  const sub = async (sql: string, params: any[]) => {
    if (!show) return db.sql.unsafe(sql, params);
    return total((await db.sql.unsafe('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' + sql, params)) as any);
  };
  const a = await sub(
    `SELECT * FROM engine.create_run(jsonb_populate_record(NULL::engine.new_run, $1::text::jsonb))`,
    [run(id)],
  );
  const [c] =
    (await db.sql`SELECT c.run_no::text AS no, c.chunk, c.attempt FROM gleaner.runs r JOIN gleaner.chunks c ON c.run_no = r.no WHERE r.id = ${id}`) as any;
  const b = await sub(`SELECT * FROM engine.start_chunk($1::bigint, $2::int, $3::int, 'w', 6000, 1)`, [
    c.no,
    c.chunk,
    c.attempt,
  ]);
  const d = await sub(
    `SELECT * FROM engine.finish_chunk(p_run_no => $1::bigint, p_chunk => $2, p_attempt => $3, p_account => $4, p_succeeded_seqs => '{0}', p_answers => '{}', p_failed_seqs => '{}', p_errors => '', p_retries => NULL, p_unstarted_seqs => NULL, p_busy_ms => 100)`,
    [c.no, c.chunk, c.attempt, acc],
  );
  if (show) {
    const now = performance.now();
    console.log(i, 'create', a, 'start', b, 'finish', d, 'ms a job', ((now - from) / (N / 10)).toFixed(2));
    from = now;
  }
}
if (end) end();
await held;
await db.close();
