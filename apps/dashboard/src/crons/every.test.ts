import { expect, it } from 'vitest';
import { everyOf, scheduleOfEvery } from './every.ts';

it.each([
  ['*/5 * * * *', { count: 5, unit: 'minutes' }],
  ['* * * * *', { count: 1, unit: 'minutes' }],
  ['0 */6 * * *', { count: 6, unit: 'hours' }],
  ['0 * * * *', { count: 1, unit: 'hours' }],
] as const)('%s is written both ways', (schedule, every) => {
  expect(everyOf(schedule)).toEqual(every);
  expect(scheduleOfEvery(every)).toEqual({ schedule });
});

it.each(['0 6 * * *', '*/5 6 * * *', '30 2 * * MON-FRI', '5 * * * *', 'x'])('%s is none', (schedule) => {
  expect(everyOf(schedule)).toBeUndefined();
});

it('refuses distances that are not even', () => {
  expect(scheduleOfEvery({ count: 7, unit: 'minutes' })).toEqual({
    fault: 'Take 1, 2, 3, 4, 5, 6, 10, 12, 15, 20 or 30',
  });
  expect(scheduleOfEvery({ count: 24, unit: 'hours' })).toHaveProperty('fault');
});
