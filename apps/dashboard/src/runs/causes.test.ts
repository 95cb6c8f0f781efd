import { expect, it } from 'vitest';
import { adviceFor, advicesOf } from './causes.ts';

it('advises by the status that the site answered', () => {
  expect(adviceFor({ error: 'fetch failed', detail: 'the site answered with status 404' })).toMatch(
    /no page at this address/,
  );
  expect(adviceFor({ error: 'fetch failed', detail: 'status 429 after 3 attempts' })).toMatch(
    /limits the rate/,
  );
  expect(adviceFor({ error: 'fetch failed', detail: 'the connection was reset' })).toMatch(
    /could not be reached/,
  );
  expect(adviceFor({ error: 'target blocked', detail: 'status 404' })).toMatch(/bot check/);
  expect(adviceFor({ error: 'something new' })).toMatch(/Read the detail/);
  const refused = { error: 'fetch failed', detail: 'target not allowed', hint: 'Only public addresses.' };
  expect(adviceFor(refused)).toBe('Only public addresses.');
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
