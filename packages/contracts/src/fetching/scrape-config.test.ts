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
