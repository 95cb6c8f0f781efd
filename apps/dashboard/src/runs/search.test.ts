import { expect, it } from 'vitest';
import { runPlace } from './run-link.tsx';
import { readBatchSearch, readRunsSearch, runsQueryOf } from './search.ts';

it('takes only filters that exist from an address', () => {
  expect(readRunsSearch({ kind: 'batch', status: 'sleeping', parser: 7 })).toEqual({ kind: 'batch' });
  expect(readBatchSearch({ tab: 'none' })).toEqual({});
  expect(readBatchSearch({ tab: 'failures', failure: 'https://a.example' })).toEqual({
    tab: 'failures',
    failure: 'https://a.example',
  });
});

it('knows the page of each kind of run, and of nothing else', () => {
  expect(runPlace('bat_1', 'failures')).toMatchObject({
    params: { batchId: 'bat_1' },
    search: { tab: 'failures' },
  });
  expect(runPlace('job_1')).toMatchObject({ params: { jobId: 'job_1' } });
  expect(runPlace('run_1')).toMatchObject({ params: { runId: 'run_1' } });
  expect(runPlace('req_1')).toBeUndefined();
});

it('those that succeeded have no failures and nothing held back; days include both ends', () => {
  expect(runsQueryOf({ status: 'succeeded' })).toMatchObject({ has_failures: false, held: false });
  expect(runsQueryOf({ status: 'held' })).toMatchObject({ held: true });
  expect(runsQueryOf({ status: 'failed' })).toMatchObject({ status: 'failed' });
  const { from, to } = runsQueryOf({ from: '2026-03-05', to: '2026-03-05' });
  expect(from).toBe(new Date(2026, 2, 5).toISOString());
  expect(to).toBe(new Date(2026, 2, 6).toISOString());
  expect(readRunsSearch({ from: 'soon', to: '2026-13-45' })).toEqual({});
});
