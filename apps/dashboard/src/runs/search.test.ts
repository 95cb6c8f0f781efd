import { expect, it } from 'vitest';
import { runPlace } from './run-link.tsx';
import { readBatchSearch, readRunsSearch } from './search.ts';

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
