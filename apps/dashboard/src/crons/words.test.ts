import { expect, it } from 'vitest';
import { catchupText, reasonOf, resultOf, sentenceOf, type Firing } from './words.ts';

it('says why a firing made no run', () => {
  const reason = (outcome: Firing['outcome'], text: string | null): string =>
    reasonOf({ outcome, reason: text } as Firing);
  expect(reason('skipped', 'overlap')).toBe('the previous run was unfinished');
  expect(reason('queued', null)).toBe('the previous run is unfinished');
  expect(reason('missed', null)).toMatch(/no scheduler ran/);
  expect(reason('failed', 'insufficient credits')).toBe('insufficient credits');
  expect(reason('started', null)).toBe('');
});

it('tells a firing whose pages failed from one that went well', () => {
  const run = {
    status: 'succeeded',
    total: 2,
    succeeded: 1,
    failed: 1,
    held: 0,
    rows: null,
    publication: 'none',
  } as const;
  expect(resultOf({ outcome: 'started', run })).toBe('faulty');
  expect(resultOf({ outcome: 'started', run: { ...run, failed: 0, held: 0 } })).toBe('started');
  expect(resultOf({ outcome: 'missed', run: null })).toBe('missed');
});

it('says a schedule and its catch-up in words', () => {
  expect(sentenceOf('30 6 * * MON-FRI')).toBe('At 06:30, Monday through Friday');
  expect(sentenceOf('*/5 * * * *')).toBe('Every 5 minutes');
  expect(sentenceOf('0 */2 * * *')).toBe('Every 2 hours');
  expect(sentenceOf('0 * * * *')).toBe('Every hour');
  expect(sentenceOf('0 30 6 * * *')).toBeUndefined();
  expect(sentenceOf('every day')).toBeUndefined();
  expect([null, 0, 7200].map(catchupText)).toEqual([
    'Runs once later, until the next is due',
    'Skipped',
    'Runs once later, within 2 h',
  ]);
});
