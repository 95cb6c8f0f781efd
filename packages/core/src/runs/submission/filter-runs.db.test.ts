import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, valueOf } from '../../operations/testing/test-calls.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount } from '../../testing/test-services.ts';
import { createTestWorker } from '../../testing/test-worker.ts';

const { services, close } = await openTestDoor();
const { sql } = services.db;
const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000, concurrency: 100 });
const ids: Record<string, string> = {};

afterAll(close);
beforeAll(async () => {
  const worker = createTestWorker(services, 'wrk_filters');
  for (const [name, how] of [
    ['good', 'succeed'],
    ['held', 'succeed'],
    ['bad', 'fail'],
  ] as const) {
    const { id, no } = await submitTestRun(services, accountId, testUrls(2));
    ids[name] = id;
    const chunk = await worker.takeOf(no);
    if (!chunk) throw new Error('nothing to run');
    await worker.endAll(chunk, how);
  }
  const { id, no } = await submitTestRun(services, accountId, testUrls(2));
  ids['mixed'] = id;
  const chunk = await worker.takeOf(no);
  if (!chunk) throw new Error('nothing to run');
  await worker.end(
    chunk,
    { succeeded: [0], answers: ['{}'], failed: [1], errors: [{ code: 'fetch_failed' }] },
    { retries: [], left: [], busyMs: 1 },
  );
  await sql`
    INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
    SELECT r.no, g, ${accountId}, 'prs_test', 1, 'a.test', CASE g WHEN 0 THEN 'held' ELSE 'discarded' END, 'http://a.test/', '{}', 'x', now()
    FROM gleaner.runs r, generate_series(0, 1) g WHERE r.id = ${ids['held'] ?? ''}`;
  await sql`
    UPDATE gleaner.runs SET sink = '{"mode": "database", "table": "kettles"}', created_at = '2026-01-02T00:00Z'
    WHERE id = ${ids['good'] ?? ''}`;
  await sql`
    INSERT INTO gleaner.crons (id, account_id, name, description, input_count, schedule, timezone, target, scrape_config, is_enabled, overlap, pause_after_failures)
    VALUES ('crn_1', ${accountId}, 'daily', '', 1, '0 0 * * *', 'UTC', '{}', '{}', false, 'skip', 0)`;
  await sql`
    INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, outcome, cause, run_id)
    VALUES ('fir_1', 'crn_1', ${accountId}, now(), 'started', 'schedule', ${ids['bad'] ?? ''})`;
});

interface Listed {
  id: string;
  held: number;
  has_failures: boolean;
}

async function namesOf(query: Record<string, unknown>): Promise<string[]> {
  const { batches } = valueOf(await callOnce(services, 'listBatches', { apiKey }, { query })) as {
    batches: Listed[];
  };
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return batches.map(({ id }) => names.get(id) ?? id).toSorted();
}

it.each([
  [{ held: 'true' }, ['held']],
  [{ held: 'false' }, ['bad', 'good', 'mixed']],
  [{ has_failures: 'true' }, ['bad', 'mixed']],
  [{ status: 'succeeded', has_failures: 'false', held: 'false' }, ['good']],
  [{ table: 'kettles' }, ['good']],
  [{ cron: 'crn_1' }, ['bad']],
  [{ from: '2026-01-02T00:00:00.000Z', to: '2026-01-02T00:00:00.001Z' }, ['good']],
  [{ to: '2026-01-02T00:00:00.000Z' }, []],
])('a list with %o has %o', async (query, names) => {
  expect(await namesOf(query)).toEqual(names);
});

it('a run says what is held and whether inputs failed, whatever its state', async () => {
  const shown = async (name: string) =>
    valueOf(await callOnce(services, 'getBatch', { apiKey }, { params: { id: ids[name] ?? '' } }));
  expect(await shown('held')).toMatchObject({
    status: 'succeeded',
    held: 1,
    has_failures: false,
    counts: { quarantined: 1 },
  });
  expect(await shown('mixed')).toMatchObject({ status: 'succeeded', held: 0, has_failures: true });
});
