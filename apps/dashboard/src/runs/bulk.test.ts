import { expect, it } from 'vitest';
import { canRetry, doAll } from './bulk.ts';

it('retries only ended batches and runs of workflows in which something failed', () => {
  const row = { kind: 'batch', failed: 2, status: 'succeeded' } as const;
  expect(canRetry(row)).toBe(true);
  expect(canRetry({ ...row, kind: 'workflow', status: 'failed' })).toBe(true);
  expect(canRetry({ ...row, kind: 'job' })).toBe(false);
  expect(canRetry({ ...row, failed: 0 })).toBe(false);
  expect(canRetry({ ...row, status: 'running' })).toBe(false);
  expect(canRetry({ ...row, status: 'cancelled' })).toBe(false);
});

it('continues after a refused run, and does at most four at a time', async () => {
  let running = 0;
  let most = 0;
  const rows = Array.from({ length: 11 }, (_, index) => ({ title: `run ${index}` }));
  const outcome = await doAll(rows, async ({ title }) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    if (title === 'run 3') throw new Error('it has ended');
  });
  expect(outcome).toEqual({ done: 10, refused: [{ title: 'run 3', reason: 'it has ended' }] });
  expect(most).toBe(4);
});
