import { expect, it } from 'vitest';
import { createCookieSessions } from './cookie-sessions.ts';

const URL_OF_SITE = new URL('https://site.example/');

it('a session is bounded when a site sets another cookie on each page, and keeps those that are set again', () => {
  const sessions = createCookieSessions();
  const many = sessions.open('many');
  for (let page = 0; page < 2_000; page += 1) many.keep(URL_OF_SITE, { 'set-cookie': `seen_${page}=1` });
  const header = many.header(URL_OF_SITE, '');
  expect(header).toContain('seen_1999=1');
  expect(header.split('; ').length).toBeLessThanOrEqual(300);
  const few = sessions.open('few');
  few.keep(URL_OF_SITE, { 'set-cookie': 'login=1' });
  for (let page = 0; page < 2_000; page += 1) few.keep(URL_OF_SITE, { 'set-cookie': `last=${page}` });
  expect(few.header(URL_OF_SITE, '')).toBe('login=1; last=1999');
});
