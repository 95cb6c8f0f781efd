import { expect, it } from 'vitest';
import { costLeft, daysLeft } from './forecast.ts';

const now = new Date(2026, 2, 26).getTime();

function made(day: number, month = 2): string {
  return new Date(2026, month, day).toISOString();
}

it('estimates what a schedule costs until the month ends, at its pace', () => {
  expect(daysLeft(new Date(2026, 1, 20).getTime())).toBe(9);
  expect(costLeft({ enabled: true, credits: 300, created_at: made(1, 0) }, now)).toBe(
    Math.round(10 * daysLeft(now)),
  );
  // Six days old.
  expect(costLeft({ enabled: true, credits: 60, created_at: made(20) }, now)).toBe(
    Math.round(10 * daysLeft(now)),
  );
  expect(costLeft({ enabled: false, credits: 60, created_at: made(20) }, now)).toBeUndefined();
  expect(
    costLeft({ enabled: true, credits: 60, created_at: new Date(now).toISOString() }, now),
  ).toBeUndefined();
});
