import { expect, it } from 'vitest';
import { adviceFor } from './causes.ts';

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
  const detail = 'column price of table shop.kept is integer; 1.5 does not fit';
  expect(adviceFor({ error: 'extraction failed', detail })).toMatch(/type of its column/);
  const refused = { error: 'fetch failed', detail: 'target not allowed', hint: 'Only public addresses.' };
  expect(adviceFor(refused)).toBe('Only public addresses.');
});
