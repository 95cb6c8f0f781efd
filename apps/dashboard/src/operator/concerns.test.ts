import { expect, it } from 'vitest';
import type { Health } from '../api/operator.ts';
import { capacityText, concernsOf } from './concerns.ts';

const WORKER = {
  id: 'wrk_1',
  host: 'a',
  pid: 1,
  engines: ['http'],
  refuses: null,
  capacity: { http: 40, browser: null },
  started_at: '2026-01-01T00:00:00.000Z',
  memory_bytes: null,
};
const SCHEDULER = { ...WORKER, id: 'wrk_2', engines: [] };
const WELL: Health = {
  readiness: {
    ready: true,
    checks: { database: 'ok', worker_wrk_1: 'slow', browser_sandbox: 'not known yet' },
  },
  queues: [{ name: 'batch-http', paused: false, counts: { waiting: 3, failed: 0 } }],
  workers: [WORKER, SCHEDULER],
  runs: { pending: 1, running: 0, oldest_pending_seconds: 10 },
  waiting: [],
  webhooks: { pending: 0, failing: 0, failed: 2, oldest_due_seconds: null },
  database: {
    bytes: 1,
    disk_free: null,
    account_limit_bytes: 10,
    connections: 1,
    oldest_transaction_seconds: 2,
    tables: [],
  },
  fetches: [],
};

it('has no concern where nothing is wrong, and none for what is not known yet', () => {
  expect(concernsOf(WELL)).toEqual([]);
});

it('says each problem in a sentence', () => {
  const concerns = concernsOf({
    ...WELL,
    readiness: { ready: false, checks: { object_storage: 'no answer' } },
    queues: [{ name: 'batch-http', paused: false, counts: { failed: 1 } }],
    workers: [{ ...WORKER, refuses: 'its memory is full' }, SCHEDULER],
    runs: { pending: 1, running: 0, oldest_pending_seconds: 600 },
    webhooks: { pending: 1, failing: 0, failed: 0, oldest_due_seconds: 120 },
    database: { ...WELL.database, oldest_transaction_seconds: 7200 },
  });
  expect(concerns).toEqual([
    'Object storage: no answer.',
    'The worker wrk_1 takes no work: its memory is full.',
    'A run has waited for 10 min and has not started.',
    'A webhook is overdue by 2 min: is a worker running?',
    'A transaction has been open for 2 h. Old rows can’t be removed until it ends.',
    'The queue batch-http has 1 failed job.',
  ]);
  const noWorker = 'No worker is alive, so nothing runs.';
  const noScheduler = 'No scheduler is alive, so crons don’t fire and nothing is cleared up.';
  expect(concernsOf({ ...WELL, workers: [] })).toEqual([noWorker, noScheduler]);
  expect(concernsOf({ ...WELL, workers: [SCHEDULER] })).toEqual([noWorker]);
  expect(concernsOf({ ...WELL, workers: [WORKER] })).toEqual([noScheduler]);
});

it('says how many pages a worker fetches at once', () => {
  expect(capacityText({ http: 40, browser: 4 })).toBe('40 plain, 4 in browsers');
  expect(capacityText({ http: null, browser: 4 })).toBe('4 in browsers');
});
