import { expect, it } from 'vitest';
import { createInteractiveLoad } from './interactive-load.ts';

it('remembers the most requests at once for a second at least, and for two at most', () => {
  let now = 0;
  const load = createInteractiveLoad(() => now);
  const ends = [load.begin(), load.begin()];
  for (const end of ends) end();
  expect(load.recent()).toBe(2);
  now = 1_000;
  expect(load.recent()).toBe(2);
  now = 1_999;
  const end = load.begin();
  expect(load.recent()).toBe(2);
  now = 2_000;
  expect(load.recent()).toBe(1);
  now = 10_000;
  expect(load.recent()).toBe(1);
  end();
  now = 12_000;
  expect(load.recent()).toBe(0);
});
