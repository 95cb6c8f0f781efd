import type { QueueName } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { submitTestRequest } from '../../testing/submit-test-request.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { readPlaces } from './queue-place.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('an account with one request stands behind one request of each other account, not behind all', async () => {
  const [many, few] = await Promise.all([
    createTestAccount(services, { concurrency: 10 }),
    createTestAccount(services, { concurrency: 10 }),
  ]);
  const ids = ['tsk_a1', 'tsk_a2', 'tsk_a3'];
  for (const id of ids) await submitTestRequest(services, { id, accountId: many.accountId });
  await submitTestRequest(services, { id: 'tsk_b1', accountId: few.accountId });
  const [row] = await services.db.sql<{ queue: QueueName }[]>`SELECT DISTINCT queue FROM gleaner.requests`;
  if (!row) throw new Error('no request was stored');
  const places = await readPlaces(services, row.queue, [...ids, 'tsk_b1']);
  expect(Object.fromEntries(places.map(({ id, place, total }) => [id, [place, total]]))).toEqual({
    tsk_a1: [1, 4],
    tsk_b1: [2, 4],
    tsk_a2: [3, 4],
    tsk_a3: [4, 4],
  });
});
