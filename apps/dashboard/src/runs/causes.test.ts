import { expect, it } from 'vitest';
import { adviceFor, advicesOf } from './causes.ts';

it('advises by the status that the site answered', () => {
  expect(adviceFor('fetch failed', 'the site answered with status 404')).toMatch(/no page at this address/);
  expect(adviceFor('fetch failed', 'status 429 after 3 attempts')).toMatch(/limits the rate/);
  expect(adviceFor('fetch failed', 'the connection was reset')).toMatch(/could not be reached/);
  expect(adviceFor('target blocked', 'status 404')).toMatch(/bot check/);
  expect(adviceFor('something new')).toMatch(/Read the detail/);
});

it('names each remedy once, in the order of the failures', () => {
  const failures = [
    { error: 'fetch failed', detail: 'status 404' },
    { error: 'fetch timed out' },
    { error: 'fetch failed', detail: 'status 410' },
    { error: 'fetch failed', detail: 'status 503' },
  ];
  expect(advicesOf(failures).map(({ error }) => error)).toEqual([
    'fetch failed',
    'fetch timed out',
    'fetch failed',
  ]);
});
