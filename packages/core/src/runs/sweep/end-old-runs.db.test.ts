import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { findViolations } from '../../testing/find-violations.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { endOldRuns } from './end-old-runs.ts';
import { rotatePartitions } from './rotate-partitions.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

it('a run that has not ended after its days is cancelled, gives its credits back and no longer keeps its partitions', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 2 });
  const old = await submitTestRun(services, accountId, testUrls(20));
  const recent = await submitTestRun(services, accountId, testUrls(20));
  const states = () => sql<{ id: string; state: string }[]>`
    SELECT id, state FROM gleaner.runs WHERE account_id = ${accountId} ORDER BY no`;
  await endOldRuns(services, 30);
  expect((await states()).map(({ state }) => state)).toEqual(['pending', 'pending']);

  // The windows of the tests' template may be those of some hours ago.
  await rotatePartitions(services);
  // As if it were from a window 40 days ago.
  await sql`SELECT ${sql(ENGINE)}.ensure_partition(now() - interval '40 days')`;
  const [aged] = await sql<{ no: string }[]>`
    UPDATE gleaner.runs SET created_at = now() - interval '40 days', no = ${sql(ENGINE)}.number_at(now() - interval '40 days')
    WHERE id = ${old.id} RETURNING no::text`;
  await sql`UPDATE gleaner.chunks SET run_no = ${aged?.no ?? ''} WHERE run_no = ${old.no}`;
  const windows = (): Promise<{ name: string }[]> => sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'gleaner.tasks'::regclass`;
  const count = (await windows()).length;
  await rotatePartitions(services);
  expect(await windows()).toHaveLength(count);

  await endOldRuns(services, 30);
  expect(await states()).toEqual([
    { id: old.id, state: 'cancelled' },
    { id: recent.id, state: 'pending' },
  ]);
  expect(
    await sql`SELECT reserved::int, unfinished::int FROM gleaner.accounts WHERE id = ${accountId}`,
  ).toEqual([{ reserved: 20, unfinished: 20 }]);
  await rotatePartitions(services);
  expect(await windows()).toHaveLength(count - 1);

  await sql`SELECT ${sql(ENGINE)}.cancel_run(${accountId}, ${recent.id})`;
  expect(await findViolations(services.db)).toEqual([]);
});

it('a run that can’t be cancelled keeps no other from its end', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 2 });
  const runs = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await submitTestRun(services, accountId, testUrls(2));
    runs.push(id);
  }
  const [faulty = ''] = runs;
  await sql.unsafe(`
    CREATE FUNCTION gleaner.refuse_run() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '22P05'; END $$;
    CREATE TRIGGER refuse_run BEFORE UPDATE ON gleaner.runs FOR EACH ROW
    WHEN (NEW.state = 'cancelled' AND NEW.id = '${faulty}') EXECUTE FUNCTION gleaner.refuse_run()`);
  await expect(endOldRuns(services, 0)).rejects.toThrow('1 of 3 failed');
  const states = await sql<{ state: string }[]>`
    SELECT state FROM gleaner.runs WHERE account_id = ${accountId} ORDER BY no`;
  expect(states.map(({ state }) => state)).toEqual(['pending', 'cancelled', 'cancelled']);
});
