import { expect, it } from 'vitest';
import { isWaiting, mergeRuns, type RunPart, type RunRow } from './run-row.ts';

function part(kind: RunRow['kind'], days: number[], cursor: string | null = null): RunPart {
  const rows = days.map((day): RunRow => ({
    id: `${kind}_${day}`,
    kind,
    word: kind,
    status: 'succeeded',
    held: 0,
    waiting: null,
    title: '',
    counts: { total: 1, succeeded: 1, failed: 0 },
    created_at: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
    started_at: null,
    finished_at: null,
  }));
  return { kind, rows, cursor };
}

it('merges jobs and batches newest first', () => {
  const merged = mergeRuns([part('job', [9, 5], 'more'), part('batch', [8, 2]), part('job', [1])]);
  expect(merged.map(({ id }) => id)).toEqual(['job_9', 'batch_8', 'job_5', 'batch_2', 'job_1']);
});

it('holds back rows above which others may still come', () => {
  const merged = mergeRuns([part('job', [9, 5, 1]), part('batch', [8, 6], 'more')]);
  expect(merged.map(({ id }) => id)).toEqual(['job_9', 'batch_8', 'batch_6']);
});

it('a run waits when all that is left of it waits', () => {
  const waiting = { tasks: 1, reason: 'a.test asked for a pause', until: '2026-01-01T00:00:00.000Z' };
  expect(isWaiting({ status: 'running', waiting })).toBe(true);
  expect(isWaiting({ status: 'running', waiting, counts: { running: 2 } })).toBe(false);
  expect(isWaiting({ status: 'running', waiting: null })).toBe(false);
  expect(isWaiting({ status: 'succeeded', waiting })).toBe(false);
});
