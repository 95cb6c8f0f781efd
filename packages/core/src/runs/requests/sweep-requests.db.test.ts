import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { renewRequests } from './start-requests.ts';
import { sweepChunks } from '../../testing/sweep-chunks.ts';
import { createAbandonedSweeper, sweepRequests } from './sweep-requests.ts';
import { endRequest, startRequest } from '../../testing/test-requests.ts';

const { services, close } = await openTestServices();
afterAll(close);

async function submit(id: string, accountId: string): Promise<string> {
  return (await submitTestRequest(services, { id, accountId })).outcome;
}

async function letLeaseRunOut(id: string): Promise<void> {
  await services.db.sql`UPDATE gleaner.requests SET lease_until = now() - interval '1 s' WHERE id = ${id}`;
}

async function readState(id: string): Promise<unknown> {
  const [row] = await services.db.sql`SELECT state, attempt FROM gleaner.requests WHERE id = ${id}`;
  return row;
}

function end(id: string) {
  return endRequest(services, id, null, { state: 'succeeded', answer: '{}' });
}

it('a request waits after its worker died and another request got its slot', async () => {
  const { accountId } = await createTestAccount(services, { concurrency: 1 });
  await submit('tsk_dead', accountId);
  await startRequest(services, { id: 'tsk_dead', attempt: 1, workerId: 'wrk_dead' });
  await letLeaseRunOut('tsk_dead');
  expect(await submit('tsk_next', accountId)).toBe('queued');
  await sweepRequests(services);
  expect(await readState('tsk_dead')).toEqual({ state: 'waiting', attempt: 2 });
  await end('tsk_next');
  expect(await readState('tsk_dead')).toEqual({ state: 'queued', attempt: 2 });
});

it('renews the leases of a process together, and names those that it lost', async () => {
  const { accountId } = await createTestAccount(services, { concurrency: 10 });
  const ids = ['tsk_held', 'tsk_locked', 'tsk_ended', 'tsk_late', 'tsk_second'];
  for (const id of ids) {
    await submit(id, accountId);
    await startRequest(services, { id, attempt: 1, workerId: 'wrk_a' });
  }
  await end('tsk_ended');
  await letLeaseRunOut('tsk_late');
  await services.db.sql`UPDATE gleaner.requests SET attempt = 2 WHERE id = 'tsk_second'`;
  const renewal = await services.db.sql.begin(async (tx) => {
    await tx`SELECT FROM gleaner.requests WHERE id = 'tsk_locked' FOR UPDATE`;
    return renewRequests(
      services,
      ids.map((id) => ({ id, attempt: 1 })),
    );
  });
  expect(renewal).toEqual({ renewed: ['tsk_held'], lost: ['tsk_ended', 'tsk_late', 'tsk_second'] });
});

it.each(['of an API process that died', 'of a raised concurrency'])(
  'a waiting request gets the slot %s while a chunk goes on',
  async (slot) => {
    const { accountId } = await createTestAccount(services, { concurrency: 2 });
    const [taken, waiting] = [`tsk_slot ${slot}`, `tsk_waiting ${slot}`];
    await submitTestRequest(services, { id: taken, accountId, kind: 'slot', price: 0 });
    const { no } = await submitTestRun(services, accountId, testUrls(1));
    expect(await createTestWorker(services).takeOf(no)).toMatchObject({ slots: 1 });
    expect(await submit(waiting, accountId)).toBe('waiting');
    if (slot.startsWith('of an API')) await letLeaseRunOut(taken);
    else await services.db.sql`UPDATE gleaner.accounts SET concurrency = 3 WHERE id = ${accountId}`;
    // The leader's rounds.
    await sweepRequests(services);
    await sweepChunks(services, undefined);
    expect(await readState(waiting)).toMatchObject({ state: 'queued' });
  },
);

it('requests that wait for an API process which died end, uncharged, unless a worker runs them', async () => {
  const { accountId } = await createTestAccount(services, { credits: 10, concurrency: 5 });
  await services.db.sql`
    INSERT INTO gleaner.processes (id, kind, version, engine, host, pid, seen_at)
    SELECT id, 'api', '1', ${ENGINE}, '', 1, now() - silent FROM (VALUES
      ('api_dead', interval '11 s'), ('api_alive', interval '2 s')) p (id, silent)`;
  const requests = [
    { id: 'tsk_left', waiter: 'api_dead' },
    { id: 'tsk_begun', waiter: 'api_dead' },
    { id: 'tsk_parse', waiter: 'api_dead', kind: 'slot', price: 0 },
    { id: 'tsk_awaited', waiter: 'api_alive' },
  ] as const;
  for (const request of requests) await submitTestRequest(services, { ...request, accountId });
  await startRequest(services, { id: 'tsk_begun', attempt: 1, workerId: 'wrk_busy' });
  const sweep = createAbandonedSweeper(services);
  expect(await sweep(), 'the first round only reads the clock').toBe(0);
  expect(await sweep()).toBe(2);
  expect(await Promise.all(requests.map(({ id }) => readState(id)))).toMatchObject([
    { state: 'cancelled' },
    { state: 'running' },
    { state: 'cancelled' },
    { state: 'queued' },
  ]);
  const [account] = await services.db.sql`
    SELECT reserved::int FROM gleaner.accounts WHERE latest_of = ${accountId} ORDER BY generation DESC LIMIT 1`;
  expect(account).toEqual({ reserved: 2 });
});
