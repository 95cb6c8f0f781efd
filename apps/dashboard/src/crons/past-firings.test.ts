import { expect, it } from 'vitest';
import { groupByDay } from './past-firings.tsx';

it('puts firings on the days of their zone, and shows the worst of each', () => {
  const days = groupByDay(
    [
      { scheduled_at: '2027-03-28T22:30:00.000Z', outcome: 'started', run: null },
      { scheduled_at: '2027-03-28T21:30:00.000Z', outcome: 'started', run: null },
      { scheduled_at: '2027-03-28T20:30:00.000Z', outcome: 'missed', run: null },
    ],
    { zone: 'Europe/Berlin', days: 3, now: Date.parse('2027-03-29T08:00:00.000Z') },
  );
  expect(days).toEqual([
    { date: '2027-03-27', counts: {}, worst: undefined },
    { date: '2027-03-28', counts: { started: 1, missed: 1 }, worst: 'missed' },
    { date: '2027-03-29', counts: { started: 1 }, worst: 'started' },
  ]);
});

it('marks a day on which pages of a run failed', () => {
  const run = {
    status: 'succeeded',
    total: 50,
    succeeded: 47,
    failed: 3,
    held: 0,
    rows: null,
    publication: 'none',
  } as const;
  const [day] = groupByDay([{ scheduled_at: '2027-03-28T10:00:00.000Z', outcome: 'started', run }], {
    zone: 'UTC',
    days: 1,
    now: Date.parse('2027-03-28T12:00:00.000Z'),
  });
  expect(day).toEqual({ date: '2027-03-28', counts: { faulty: 1 }, worst: 'faulty' });
});
