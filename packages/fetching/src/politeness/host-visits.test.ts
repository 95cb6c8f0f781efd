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
