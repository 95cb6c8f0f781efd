import { ERRORS, type ErrorCode } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { getBatchFailures } from './batch-failures.ts';
import { cancelBatch, retryBatch } from './change-batch.ts';

const opened = await openTestServices();
afterAll(opened.close);
const { services } = opened;

async function cancelledRun() {
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const { id, no } = await submitTestRun(services, accountId, testUrls(5));
  const ctx = testContext(services, accountId);
  const input = { params: { id }, query: undefined, upload: undefined };
  await cancelBatch(ctx, { ...input, body: undefined });
  return { ctx, input, no };
}

it('nothing to retry is refused with the reason, and says how cancelled inputs run', async () => {
  const { ctx, input } = await cancelledRun();
  await expect(retryBatch(ctx, { ...input, body: {} })).rejects.toMatchObject({
    code: 'already_finished',
    options: {
      detail: 'no input failed: 0 succeeded and 5 were cancelled',
      hint: expect.stringContaining('cancelled') as string,
    },
  });
});

it('cancelled inputs run again when asked, and their price is reserved again', async () => {
  const { ctx, input } = await cancelledRun();
  const retried = await retryBatch(ctx, { ...input, body: { cancelled: true } });
  expect(retried).toMatchObject({ status: 'running', counts: { total: 5, cancelled: 0, failed: 0 } });
  expect(retried.credits.reserved).toBeGreaterThan(0);
  await expect(retryBatch(ctx, { ...input, body: { cancelled: true } })).rejects.toMatchObject({
    code: 'in_use',
  });
});

it('runs only the inputs that failed by a cause again: of an error, or of one of its reasons', async () => {
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const details = ['status 404', 'status 500', 'status 404', 'the connection was closed'];
  const { id, no } = await submitTestRun(services, accountId, testUrls(details.length));
  const worker = createTestWorker(services, 'wrk_causes');
  const fail = async (): Promise<number> => {
    const chunk = await worker.takeOf(no);
    if (!chunk) throw new Error('nothing to run');
    const errors = chunk.seqs.map((seq) => ({ code: 'fetch_failed' as const, detail: details[seq] ?? '' }));
    await worker.end(
      chunk,
      { succeeded: [], answers: [], failed: chunk.seqs, errors },
      { retries: [], left: [], busyMs: 1 },
    );
    return chunk.seqs.length;
  };
  await fail();
  const ctx = testContext(services, accountId);
  const input = { params: { id }, query: undefined, upload: undefined };
  const read = {
    params: { id },
    body: undefined,
    upload: undefined,
    query: { limit: 10, cursor: undefined },
  };
  const { causes = [] } = await getBatchFailures(ctx, read);
  expect(causes.map(({ count }) => count)).toEqual([2, 1, 1]);
  const { cause = '' } = causes[0] ?? {};
  expect((await retryBatch(ctx, { ...input, body: { cause } })).counts).toMatchObject({
    failed: 2,
    pending: 2,
  });
  expect(await fail()).toBe(2);
  expect((await retryBatch(ctx, { ...input, body: { cause: 'fetch failed' } })).counts).toMatchObject({
    failed: 0,
  });
  await fail();
  await expect(retryBatch(ctx, { ...input, body: { cause: 'fetch timed out' } })).rejects.toMatchObject({
    code: 'already_finished',
    options: { field: 'cause' },
  });
});

/** What the event of a job says of its outcome. */
async function outcome(no: string): Promise<Record<string, unknown>> {
  const [row] = await services.db.sql<{ outcome: string }[]>`
    SELECT ${services.db.sql(ENGINE)}.job_outcome(${no}, 'job_1', 'return')::text AS outcome`;
  return JSON.parse(row?.outcome ?? 'null') as Record<string, unknown>;
}

it('the event of a job has its result up to 64 KB, its address, and the error in the words of the catalogue', async () => {
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const { no } = await submitTestRun(services, accountId, testUrls(1));
  const { sql } = services.db;
  const answer = (size: number) => `{"text":"${'x'.repeat(size)}"}`;
  const store = (text: string) => sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer) VALUES (${no}, 0, 1, 1, true, ${text})
    ON CONFLICT (run_no, seq) DO UPDATE SET ok = true, answer = excluded.answer, error = NULL`;
  await store(answer(3));
  expect(await outcome(no)).toEqual({ result: { text: 'xxx' }, result_url: '/v1/jobs/job_1', error: null });
  await store(answer(65_536));
  expect(await outcome(no)).toEqual({ result: null, result_url: '/v1/jobs/job_1', error: null });
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    if (code === 'unauthorized') continue;
    const stored = JSON.stringify({ code, detail: 'why' });
    await sql`UPDATE gleaner.results SET ok = false, answer = NULL, error = ${stored}::text::jsonb WHERE run_no = ${no}`;
    expect(await outcome(no)).toEqual({
      result: null,
      result_url: null,
      error: { error: ERRORS[code].text, detail: 'why' },
    });
  }
});
