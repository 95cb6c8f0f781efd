import { expect, it } from 'vitest';
import { membersOf, requestDeliveries } from './catalog.ts';

function request(account: string, rank: number) {
  return { id: `${account}${rank}`, attempt: 1, account, rank };
}

function shape(
  requests: readonly ReturnType<typeof request>[],
  queue: 'interactive-http' | 'interactive-browser',
) {
  return requestDeliveries(queue, requests).map(({ payload, priority }) => ({
    priority,
    ids: membersOf(payload).map(({ id }) => id),
  }));
}

it('requests of about the same rank share a job, the lowest rank first', () => {
  expect(shape([request('a', 2), request('b', 1), request('a', 300)], 'interactive-http')).toEqual([
    { priority: 1, ids: ['b1', 'a2'] },
    { priority: 300, ids: ['a300'] },
  ]);
});

it('a job holds so few requests that several workers share what is submitted together', () => {
  const many = Array.from({ length: 40 }, (_, index) => request('a', 100 + index));
  expect(shape(many, 'interactive-http').map(({ ids }) => ids.length)).toEqual([16, 16, 8]);
});

it('each request of a browser is a job', () => {
  const jobs = shape([request('a', 1), request('b', 1)], 'interactive-browser');
  expect(jobs.map(({ ids }) => ids)).toEqual([['a1'], ['b1']]);
});

it('reads the jobs of an earlier version, which hold one request', () => {
  expect(membersOf({ kind: 'request', id: 'req_1', attempt: 2 })).toEqual([
    { id: 'req_1', attempt: 2, account: 'req_1', rank: 1 },
  ]);
});
