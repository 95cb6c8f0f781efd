import { expect, it } from 'vitest';
import { canRetry, doAll } from './bulk.ts';

it('retries only ended batches and runs of workflows in which something failed', () => {
  const row = { kind: 'batch', counts: { total: 2, succeeded: 0, failed: 2 }, status: 'succeeded' } as const;
  expect(canRetry(row)).toBe(true);
  expect(canRetry({ ...row, kind: 'workflow', status: 'failed' })).toBe(true);
  expect(canRetry({ ...row, kind: 'job' })).toBe(false);
  expect(canRetry({ ...row, counts: { ...row.counts, failed: 0 } })).toBe(false);
  expect(canRetry({ ...row, status: 'running' })).toBe(false);
  expect(canRetry({ ...row, status: 'cancelled' })).toBe(false);
});

it('continues after a refused run', async () => {
  const rows = Array.from({ length: 11 }, (_, index) => ({ title: `run ${index}` }));
  const done: string[] = [];
  const refused = await doAll(rows, async ({ title }) => {
    await Promise.resolve();
    if (title === 'run 3') throw new Error('it has ended');
    done.push(title);
  });
  expect(refused).toEqual([{ title: 'run 3', reason: 'it has ended' }]);
  expect(done).toHaveLength(10);
});
