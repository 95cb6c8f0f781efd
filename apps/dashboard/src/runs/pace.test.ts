import { expect, it } from 'vitest';
import { addSample, doneOf, paceText } from './pace.ts';

const counts = {
  total: 100,
  succeeded: 40,
  failed: 8,
  cancelled: 2,
  running: 5,
  pending: 45,
  waiting_for_sink: 0,
  quarantined: 0,
  rows_kept: 0,
};
const batch = { status: 'running', counts, waiting: null } as Parameters<typeof paceText>[0];

it('counts what will not run again as done', () => {
  expect(doneOf({ counts: batch.counts })).toBe(50);
});

it('keeps only the samples of the last ten seconds', () => {
  const samples = [0, 4_000, 9_000].map((at) => ({ at, done: at }));
  expect(addSample(samples, { at: 12_000, done: 1 }).map(({ at }) => at)).toEqual([4_000, 9_000, 12_000]);
});

it('says the rate and the time left of a live batch, and nothing of an ended one', () => {
  const samples = [
    { at: 0, done: 10 },
    { at: 10_000, done: 50 },
  ];
  expect(paceText(batch, samples)).toBe('4.0/s over the last 10 s · about 12.5 s left');
  expect(paceText({ ...batch, status: 'succeeded' }, samples)).toBe('');
});

it('says no time left that ends before the next try of a page that waits', () => {
  const samples = [
    { at: 0, done: 10 },
    { at: 10_000, done: 99 },
  ];
  const waiting = { tasks: 1, reason: 'it failed', until: new Date(55_000).toISOString() };
  const text = paceText({ ...batch, waiting }, samples);
  expect(text).toBe('8.9/s over the last 10 s · about 45.0 s left');
  const soon = { ...waiting, until: new Date(10_010).toISOString() };
  expect(paceText({ ...batch, waiting: soon }, samples)).toMatch(/about 112 ms left$/);
});

it('says that a batch waits only while none of its pages runs', () => {
  expect(paceText(batch, [])).toBe('');
  expect(paceText({ ...batch, counts: { ...batch.counts, running: 0 } }, [{ at: 1, done: 5 }])).toBe(
    'waiting for its turn',
  );
  const unwritten = { ...batch.counts, running: 0, waiting_for_sink: 10 };
  expect(paceText({ ...batch, counts: unwritten }, [{ at: 1, done: 5 }])).toBe('');
});
