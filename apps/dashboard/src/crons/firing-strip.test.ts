import { expect, it } from 'vitest';
import { readFiringTimes } from './firing-strip.tsx';

it('says when the clocks change between two firings', () => {
  const times = ['2027-03-27T05:30:00.000Z', '2027-03-28T04:30:00.000Z', '2027-03-29T04:30:00.000Z'];
  expect(readFiringTimes(times, 'Europe/Berlin', '30 6 * * *')).toMatchObject([
    { day: 'Sat 27 Mar', time: '06:30', offset: '+01:00', note: undefined },
    { time: '06:30', offset: '+02:00', note: 'the clocks were set forward by 1 h' },
    { time: '06:30', offset: '+02:00', note: undefined },
  ]);
});

it('names the year of yearly firings, and no clock change between them', () => {
  const times = ['2027-03-26T05:30:00.000Z', '2028-03-26T04:30:00.000Z'];
  expect(readFiringTimes(times, 'Europe/Berlin', '30 6 26 3 *')).toMatchObject([
    { day: 'Fri 26 Mar 2027', offset: '+01:00', note: undefined },
    { day: 'Sun 26 Mar 2028', offset: '+02:00', note: undefined },
  ]);
  const spring = ['2027-01-01T05:00:00.000Z', '2027-07-01T04:00:00.000Z'];
  expect(readFiringTimes(spring, 'Europe/Berlin', '0 6 1 1,7 *')[1]?.note).toBeUndefined();
});

it('says that a time which the clocks leave out fires later', () => {
  const [, moved] = readFiringTimes(
    ['2027-03-27T01:30:00.000Z', '2027-03-28T01:30:00.000Z'],
    'Europe/Berlin',
    '30 2 * * *',
  );
  expect(moved).toMatchObject({
    time: '03:30',
    note: 'the clocks skip its time on this day, so it fires later',
  });
});

it('knows half hours, clocks set back, and UTC', () => {
  const times = ['2027-04-03T14:00:00.000Z', '2027-04-04T14:00:00.000Z'];
  expect(readFiringTimes(times, 'Australia/Lord_Howe', '*/30 * * * *')[1]?.note).toBe(
    'the clocks were set back by 30 min',
  );
  expect(readFiringTimes(times, 'UTC', '0 14 * * *')[1]).toMatchObject({ offset: '+00:00', note: undefined });
});
