import { expect, test } from 'vitest';
import { createPhaseClock } from './phase-clock.ts';

test('phases follow each other, add up when they come again, and the last one ends when it is read', () => {
  let time = 0;
  const clock = createPhaseClock(() => time);
  expect(clock.read()).toBeUndefined();
  clock.enter('connect');
  time += 12.4;
  clock.enter('first_byte');
  time += 80;
  clock.leave();
  time += 1_000;
  clock.enter('connect');
  time += 3;
  expect(clock.read()).toEqual({ connect_ms: 15, first_byte_ms: 80 });
  time += 500;
  expect(clock.read()).toEqual({ connect_ms: 15, first_byte_ms: 80 });
});
