import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { takeChunks } from '../chunks/take-chunks.ts';
import { createChunkWriter } from '../chunks/write-chunks.ts';
import { createBoardRuns, whyBoardRunFailed, withoutQueries } from './board-runs.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

const board = createBoardRuns(services.db, 0);

it('shows a run with its name, account, counts and causes, and its end', async () => {
  const { accountId } = await createTestAccount(services, { name: 'owner', credits: 2, concurrency: 1 });
  const inputs = ['http://u:p@a.test/1?token=secret', 'http://a.test/2'];
  const { id } = await submitTestRun(services, accountId, inputs, { name: 'prices' });
  expect(await board.find(id)).toMatchObject({
    kind: 'batch',
    state: 'pending',
    name: 'prices',
    account: accountId,
    accountName: 'owner',
    counts: { total: 2, succeeded: 0, failed: 0 },
  });
  const writer = createChunkWriter(services, 'wrk_test');
  const taking = { queue: batchQueue('http'), workerId: 'wrk_test', slots: 1, freed: [] };
  for (let [chunk] = (await takeChunks(services, taking)).chunks; chunk !== undefined;) {
    const failed = chunk.seqs;
    const detail = 'no answer of http://a.test/1?token=secret#part';
    const errors = failed.map(() => ({ code: 'fetch_failed', detail }) as const);
    await writer.write(
      chunk,
      { succeeded: [], answers: [], failed, errors },
      { end: { retries: [], left: [], busyMs: 1 } },
    );
    [chunk] = (await takeChunks(services, taking)).chunks;
  }
  const ended = await board.find(id);
  expect(ended).toMatchObject({ state: 'failed', counts: { total: 2, failed: 2 }, waitsFor: null });
  expect(ended && whyBoardRunFailed(ended)).toBe('2 of 2 pages failed');
  const lines = await board.failures(id);
  expect(lines).toEqual([
    expect.stringMatching(/^2 × .*no answer of http:\/\/a\.test\/1, for example http:\/\/a\.test\/1$/),
  ]);
});

it('shows the newest 10,000, ended ones for a day, and nothing of an account that is erased', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const before = await board.count();
  const { no, id } = await submitTestRun(services, accountId, testUrls(1));
  const columns = await sql<{ name: string }[]>`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'gleaner' AND table_name = 'runs' AND is_generated = 'NEVER'`;
  const stored = columns.map(({ name }) => name);
  const copies = (count: number, state: string, finished: string) => sql`
    INSERT INTO gleaner.runs (${sql(stored)}) SELECT ${sql(stored)} FROM (SELECT (jsonb_populate_record(r, jsonb_build_object('id', ${state} || n, 'no', r.no + n,
      'state', ${state}::text, 'finished_at', now() - ${finished}::interval + n * interval '1 ms'))).*
    FROM gleaner.runs r CROSS JOIN generate_series(1, ${count}::int) n WHERE r.no = ${no}) copy`;
  await copies(3, 'succeeded', '25 hours');
  expect(await board.count()).toEqual({ ...before, pending: before.pending + 1 });
  await sql`DELETE FROM gleaner.runs WHERE account_id = ${accountId} AND no <> ${no}`;
  await copies(10_001, 'succeeded', '1 hour');
  expect(await board.count()).toEqual({
    ...before,
    pending: before.pending + 1,
    succeeded: 10_000 - before.failed,
  });
  const [newest] = await board.list(['succeeded', 'failed'], 0, 2);
  expect(newest?.id).toBe('succeeded10001');
  const oldest = await board.list(['succeeded'], 9_999 - before.failed, 10);
  expect(oldest.map((run) => run.id)).toEqual([`succeeded${2 + before.failed}`]);
  await sql`INSERT INTO gleaner.erasures (account_id, name) VALUES (${accountId}, 'gone')`;
  expect(await board.count()).toEqual(before);
  expect(await board.find(id)).toBeUndefined();
});

it('shares one list among looks of a moment', async () => {
  const shared = createBoardRuns(services.db, 3_600_000);
  const { accountId } = await createTestAccount(services, { credits: 1 });
  const before = await shared.count();
  const { id } = await submitTestRun(services, accountId, testUrls(1));
  expect(await shared.count()).toEqual(before);
  expect((await board.list(['pending'], 0, 1)).map((run) => run.id)).toEqual([id]);
});

it('cuts logins, queries and fragments off addresses', () => {
  expect(withoutQueries('of "https://u:p@a.test/x?key=1#y" and http://b.test?k=2')).toBe(
    'of "https://a.test/x" and http://b.test/',
  );
  expect(withoutQueries('https://[ is none')).toBe('… is none');
});
