import { expect, it } from 'vitest';
import { defaultBrowserPages, interactivePages } from './browser-pages.ts';

const GIGABYTE = 1e9;

it.each([
  ['a small container', 2, 2, 3, 2],
  ['a laptop', 8, 4, 10, 5],
  ['two cores with much memory', 64, 2, 8, 4],
  ['a server', 128, 64, 24, 12],
])(
  'on %s with %d GB and %d cores, batches have %d pages and interactive requests %d',
  (_name, gigabytes, cores, batch, interactive) => {
    expect(defaultBrowserPages(gigabytes * GIGABYTE, cores)).toBe(batch);
    expect(interactivePages(batch)).toBe(interactive);
  },
);

it('never takes more than half of the memory, unless the least number of pages does', () => {
  for (let gigabytes = 3; gigabytes < 100; gigabytes += 1) {
    const pages = defaultBrowserPages(gigabytes * GIGABYTE, 64);
    expect((pages + interactivePages(pages)) * 0.25).toBeLessThanOrEqual(gigabytes * 0.55);
  }
});
