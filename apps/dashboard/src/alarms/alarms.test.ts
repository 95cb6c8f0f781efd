import { expect, it } from 'vitest';
import { alarmsOf, wordOf, type Alarm } from './alarms.ts';

function alarm(state: Alarm['state'], since: string): Alarm {
  return {
    parser: { id: 'prs_1', name: 'product' },
    state,
    since,
    host: 'shop.example',
    fields: [],
  } as unknown as Alarm;
}

it('says the worst alarm, and that the work goes on', () => {
  const doubtful = alarm('degraded', '2026-03-01T00:00:00.000Z');
  const broken = alarm('broken', '2026-03-01T00:00:00.000Z');
  expect(wordOf([], true)).toBeUndefined();
  expect(wordOf([doubtful], false)).toBe('values doubtful');
  expect(wordOf([doubtful, broken], false)).toBe('parser broken');
  expect(wordOf([doubtful, broken], true)).toBe('running, broken');
});

it('concerns runs that ended after the alarm began', () => {
  const alarms = [alarm('broken', '2026-03-02T00:00:00.000Z')];
  const concerns = (until?: string | null): number => alarmsOf(alarms, { parserId: 'prs_1', until }).length;
  expect(concerns('2026-03-01T00:00:00.000Z')).toBe(0);
  expect(concerns('2026-03-03T00:00:00.000Z')).toBe(1);
  expect(concerns(null)).toBe(1);
  expect(alarmsOf(alarms, { parserId: 'prs_2' })).toEqual([]);
});
