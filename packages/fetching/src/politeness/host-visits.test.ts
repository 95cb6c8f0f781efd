import { expect, it } from 'vitest';
import { createTestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite } from '../testing/test-site.ts';
import type { Politeness } from './politeness.ts';

it('each request of a page takes a turn, redirects too, when the one before has left', async () => {
  const events: string[] = [];
  const site = await startTestSite(({ url }, response) => {
    events.push(`asked ${url}`);
    if (url === '/from') response.writeHead(302, { location: '/to' }).end();
    else if (url === '/to') response.writeHead(302, { location: '/page' }).end();
    else sendPage(response, '<h1>page</h1>');
  });
  const politeness: Politeness = {
    enter: (_host, { isRedirect = false, hasSlot = false }) => {
      let isSent = false;
      events.push(`turn${isRedirect ? ' of a redirect' : ''}${hasSlot ? ', in its slot' : ''}`);
      return Promise.resolve({
        sent: () => {
          if (!isSent) events.push('left');
          isSent = true;
        },
        leave: () => events.push('ended'),
      });
    },
    slowDown: () => undefined,
    close: () => Promise.resolve(),
  };
  const client = await createTestFetcher(site.host, {}, { politeness });
  await client.fetch(`${site.origin}/from`);
  expect(events).toEqual([
    'turn',
    'left',
    'asked /from',
    'turn of a redirect, in its slot',
    'left',
    'asked /to',
    'turn of a redirect, in its slot',
    'left',
    'asked /page',
    'ended',
    'ended',
    'ended',
  ]);
  await client.fetcher.close();
  await site.close();
});

it('a page that goes on at another origin sends its own credentials no more, and has its own address', async () => {
  const seen: (string | string[] | undefined)[] = [];
  const site = await startTestSite(({ headers }, response) => {
    seen.push(headers.authorization, headers.cookie, headers['x-colour']);
    sendPage(response, '<h1>page</h1>');
  });
  const client = await createTestFetcher(site.host);
  const config = {
    headers: { Authorization: 'Bearer hush', 'X-Colour': 'blue' },
    cookies: { sid: 'hush' },
  };
  const url = 'http://elsewhere.test/from';
  const redirected = { url: `${site.origin}/to`, redirects: 1, isForeign: true, cookies: 'pass=1' };
  const page = await client.fetch(url, config, { redirected });
  expect([page.url, page.finalUrl]).toEqual([url, `${site.origin}/to`]);
  expect(seen).toEqual([undefined, 'pass=1', 'blue']);
  await client.fetch(url, config, { redirected: { ...redirected, isForeign: false } });
  expect(seen.slice(3)).toEqual(['Bearer hush', 'sid=hush; pass=1', 'blue']);
  await client.fetcher.close();
  await site.close();
});
