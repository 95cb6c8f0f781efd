import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { openInteractive } from '../requests/open-interactive.ts';
import { createStarter } from '../requests/start-requests.ts';
import { WORK_LEVEL } from './work-level.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('a run that needs a later worker is left to it, unchanged', async () => {
  const { accountId } = await createTestAccount(services);
  const early = createTestWorker(services, 'wrk_early');
  const { no } = await submitTestRun(services, accountId, testUrls(3), { config: { needs: WORK_LEVEL + 1 } });
  const { sql } = services.db;
  // It delays no other account.
  const { accountId: other } = await createTestAccount(services);
  const known = await submitTestRun(services, other, testUrls(1), { config: { needs: WORK_LEVEL } });
  expect(await early.take()).toMatchObject({ chunks: [{ run: known.no, accountId: other }], isMore: true });
  expect(await early.take()).toMatchObject({ chunks: [], isMore: true });
  expect(await sql`SELECT state, carved FROM gleaner.runs WHERE no = ${no}`).toEqual([
    { state: 'pending', carved: 0 },
  ]);
  const [taken] = await sql`
    SELECT (chunk).run_no, (chunk).account_id FROM ${sql(ENGINE)}.take_chunks(
      'batch-http', 'wrk_late', 8, ${WORK_LEVEL + 1}, 6000, '[]') WHERE (chunk).run_no IS NOT NULL`;
  expect(taken).toEqual({ run_no: no, account_id: accountId });
});

it('so is a request, and the others of its group start', async () => {
  const { accountId } = await createTestAccount(services);
  const interactive = await openInteractive(services);
  const request = async (needs: number): Promise<string> => {
    const id = createId('request');
    await interactive.submitter.call({
      id,
      accountId,
      kind: 'task',
      queue: 'interactive-http',
      price: 1,
      timeoutMs: 60_000,
      spec: { target: { type: 'api', id: 'none' }, input: { url: 'http://a.test/' }, config: { needs } },
    });
    return id;
  };
  const ids = [await request(WORK_LEVEL), await request(WORK_LEVEL + 1)];
  const starter = createStarter(services, 'wrk_early');
  const [known, later] = await Promise.all(ids.map((id) => starter.call({ id, attempt: 1 })));
  expect(known).toMatchObject({ accountId });
  expect(later).toBeNull();
  const [row] = await services.db.sql`
    SELECT account_id FROM ${services.db.sql(ENGINE)}.start_requests(${[ids[1] ?? '']}, '{1}', 'wrk_late', 6000, ${WORK_LEVEL + 1})`;
  expect(row).toEqual({ account_id: accountId });
  await interactive.close();
});
