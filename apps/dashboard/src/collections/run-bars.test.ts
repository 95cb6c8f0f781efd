import { expect, it } from 'vitest';
import type { CollectionRun } from '../today/runs-squares.ts';
import { barsOfRuns, successText } from './run-bars.ts';

const run: CollectionRun = {
  run_id: 'bat_1',
  at: '2026-03-05T06:30:00.000Z',
  outcome: 'started',
  status: 'succeeded',
  total: 40,
  succeeded: 40,
  failed: 0,
  held: 0,
  rows: null,
};
const faulty = { ...run, run_id: 'bat_2', succeeded: 30, failed: 10 };
const skipped = { ...run, run_id: null, status: null, outcome: 'skipped' as const, succeeded: 0 };

it('has a bar for each run, the latest last', () => {
  expect(barsOfRuns([faulty, skipped, run]).map(({ key, good, bad }) => [key, good, bad])).toEqual([
    ['bat_1', 40, 0],
    ['bat_2', 30, 10],
  ]);
});

it('says how much succeeded', () => {
  expect(successText([faulty, skipped, run])).toBe('88 % of 80 pages succeeded; 1 of 2 runs had failures.');
  expect(successText([run])).toBe('100 % of 40 pages succeeded; 0 of 1 run had failures.');
});
