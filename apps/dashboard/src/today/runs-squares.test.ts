import { expect, it } from 'vitest';
import { sayRuns, squareOf, wordsOf, type CollectionRun } from './runs-squares.ts';

function run(other: Partial<CollectionRun>): CollectionRun {
  return {
    run_id: 'bat_1',
    at: '2026-03-05T06:30:00.000Z',
    outcome: 'started',
    status: 'succeeded',
    total: 40,
    succeeded: 40,
    failed: 0,
    held: 0,
    rows: null,
    ...other,
  };
}
const skipped = run({ outcome: 'skipped', status: null, run_id: null, total: 0, succeeded: 0 });

it('is green only when nothing of a run failed or waits', () => {
  expect(squareOf(run({}))).toBe('good');
  expect(squareOf(run({ failed: 2, succeeded: 38 }))).toBe('faulty');
  expect(squareOf(run({ held: 1 }))).toBe('faulty');
  expect(squareOf(run({ status: 'failed', failed: 40 }))).toBe('failed');
  expect(squareOf(run({ status: 'running', succeeded: 3 }))).toBe('live');
  expect(squareOf(run({ status: 'cancelled' }))).toBe('none');
  expect(squareOf(skipped)).toBe('none');
  expect(squareOf({ ...skipped, outcome: 'missed' })).toBe('faulty');
  expect(squareOf({ ...skipped, outcome: 'failed' })).toBe('failed');
});

it('says what became of a run', () => {
  expect(wordsOf(run({ failed: 2, succeeded: 38 }))).toMatch(/: 38 of 40 pages, 2 failed$/);
  expect(wordsOf(run({ held: 1 }))).toMatch(/: 40 of 40 pages, 1 row held$/);
  expect(wordsOf(skipped)).toMatch(/: skipped$/);
  expect(sayRuns([run({}), run({ failed: 1 }), run({}), skipped])).toBe(
    'The last 4 runs: 2 succeeded, 1 with failures, 1 without a run',
  );
  expect(sayRuns([])).toBe('No run yet');
});
