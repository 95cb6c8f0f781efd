import { expect, it } from 'vitest';
import { scrapeConfigSchema } from './scrape-config.ts';

it.each(['.price', '#app > [data-ready]', 'a:has(b), i', 'text:visible'])(
  'waits for %s',
  (waitForBrowser) => {
    expect(scrapeConfigSchema.safeParse({ waitForBrowser }).success).toBe(true);
  },
);

it.each(['##', 'a[', 'a >', 'a,', '.', ')', '{}'])('rejects the selector %s', (waitForBrowser) => {
  const { error } = scrapeConfigSchema.safeParse({ waitForBrowser });
  expect(error?.issues).toMatchObject([
    { path: ['waitForBrowser'], message: 'is not a CSS selector: write one such as .price or #results' },
  ]);
});

it.each([
  { click: '.more', until: 'gone' },
  { scroll: 'end', until: 'stable' },
])('repeats %o', (action) => {
  expect(scrapeConfigSchema.safeParse({ actions: [action] }).success).toBe(true);
});

it.each([
  [{ click: '.more', until: 'stable' }, 'needs a scroll to the end: {"scroll": "end", "until": "stable"}'],
  [{ scroll: '.footer', until: 'stable' }, 'needs a scroll to the end: {"scroll": "end", "until": "stable"}'],
  [{ scroll: 'end', until: 'gone' }, 'needs a click: {"click": css, "until": "gone"}'],
  [{ wait: 1, until: 'gone' }, 'needs a click: {"click": css, "until": "gone"}'],
])('refuses to repeat %o', (action, message) => {
  const { error } = scrapeConfigSchema.safeParse({ actions: [action] });
  expect(error?.issues).toMatchObject([{ path: ['actions', 0, 'until'], message }]);
});
