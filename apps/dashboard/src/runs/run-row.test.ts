import { expect, it } from 'vitest';
import { mergeRuns, type RunRow } from './run-row.ts';

function rows(kind: RunRow['kind'], ...days: number[]): RunRow[] {
  return days.map((day) => ({
    id: `${kind}_${day}`,
    kind,
    word: kind,
    status: 'succeeded',
    title: '',
    target: undefined,
    total: 1,
    succeeded: 1,
    failed: 0,
    createdAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
    startedAt: null,
    finishedAt: null,
  }));
}

it('merges jobs and batches newest first', () => {
  const merged = mergeRuns([
    { rows: rows('job', 9, 5, 1), hasMore: false },
    { rows: rows('batch', 8, 2), hasMore: false },
  ]);
  expect(merged.map(({ id }) => id)).toEqual(['job_9', 'batch_8', 'job_5', 'batch_2', 'job_1']);
});

it('holds back rows above which others may still come', () => {
  const merged = mergeRuns([
    { rows: rows('job', 9, 5, 1), hasMore: false },
    { rows: rows('batch', 8, 6), hasMore: true },
  ]);
  expect(merged.map(({ id }) => id)).toEqual(['job_9', 'batch_8', 'batch_6']);
});
