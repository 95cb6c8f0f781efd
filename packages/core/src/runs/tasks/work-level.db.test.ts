import { afterAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { startChunk } from '../chunks/chunk-lease.ts';
import { openInteractive } from '../requests/open-interactive.ts';
import { createStarter, startRequest } from '../requests/start-requests.ts';
import { BeyondWorker, WORK_LEVEL } from './work-level.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('a chunk that needs a later worker is left to it, unchanged', async () => {
  const { accountId } = await createTestAccount(services);
  const { no } = await submitTestRun(services, accountId, testUrls(3), { config: { needs: WORK_LEVEL + 1 } });
  const key = { run: no, chunk: 0, attempt: 1 };
  await expect(startChunk(services, key, 'wrk_early')).rejects.toThrow(BeyondWorker);
  const { sql } = services.db;
  expect(await sql`SELECT state, worker_id FROM gleaner.chunks WHERE run_no = ${no} AND chunk = 0`).toEqual([
    { state: 'admitted', worker_id: null },
  ]);
  const [started] = await sql`
    SELECT account_id FROM engine.start_chunk(${no}, 0, 1, 'wrk_late', 6000, ${WORK_LEVEL + 1})`;
  expect(started).toEqual({ account_id: accountId });
  const known = await submitTestRun(services, accountId, testUrls(3), { config: { needs: WORK_LEVEL } });
  expect(await startChunk(services, { ...key, run: known.no }, 'wrk_early')).toMatchObject({ accountId });
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
  expect(later).toBeInstanceOf(BeyondWorker);
  await expect(startRequest(services, { id: ids[1] ?? '', attempt: 1, workerId: 'w' })).rejects.toThrow(
    BeyondWorker,
  );
  const [row] = await services.db.sql`
    SELECT account_id FROM engine.start_requests(${[ids[1] ?? '']}, '{1}', 'wrk_late', 6000, ${WORK_LEVEL + 1})`;
  expect(row).toEqual({ account_id: accountId });
  await interactive.close();
});
