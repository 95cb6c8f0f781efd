import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RobotsRefusedError } from './robots.ts';
import { createTestFetcher, type TestFetcher } from './testing/test-fetcher.ts';
import { startTestProxy, type TestProxy } from './testing/test-proxy.ts';
import { sendPage, startTestSite, type RequestHandler, type TestSite } from './testing/test-site.ts';

const PAGE = 'https://gleaner.example/bot';
const USER_AGENT = `Mozilla/5.0 (compatible; ShopBot/1.0; +${PAGE})`;

let robots: RequestHandler;
let site: TestSite;
let proxy: TestProxy;
let client: TestFetcher;
let clients: TestFetcher[] = [];

/** A fetcher that has not read the site's robots.txt yet. */
async function openClient(): Promise<TestFetcher> {
  const opened = await createTestFetcher(site.host, {
    bot: { name: 'ShopBot', page: PAGE },
    proxies: { highquality: [proxy.url('user:secret')], hardcore: [proxy.url('user:secret')] },
  });
  clients.push(opened);
  return opened;
}

function says(text: string): RequestHandler {
  return (_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
}

function answers(status: number): RequestHandler {
  return (_request, response) => response.writeHead(status).end('no');
}

beforeAll(async () => {
  site = await startTestSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://site');
    if (pathname.endsWith('/robots.txt')) robots(request, response);
    else if (pathname === '/hop') response.writeHead(302, { location: searchParams.get('to') ?? '/' }).end();
    else if (pathname === '/tagged')
      sendPage(response, '<p>page</p>', { 'x-robots-tag': 'noindex, shopbot: nofollow' });
    else sendPage(response, `<p>${request.headers['user-agent']}</p>`);
  });
  proxy = await startTestProxy({ password: 'secret' });
});

afterAll(async () => {
  await Promise.all(clients.map(({ fetcher }) => fetcher.close()));
  await Promise.all([site.close(), proxy.close()]);
});

beforeEach(async () => {
  robots = says('User-agent: ShopBot\nDisallow: /closed\n\nUser-agent: *\nDisallow: /');
  client = await openClient();
  site.requests.length = 0;
});

const ENFORCE = { crawler: { robots: 'enforce' as const } };

async function refusalOf(path: string, from = client): Promise<RobotsRefusedError> {
  const thrown: unknown = await from.fetch(site.origin + path, {}, ENFORCE).catch((error: unknown) => error);
  if (!(thrown instanceof RobotsRefusedError)) throw thrown;
  return thrown;
}

describe.each([
  ['plain HTTP', {}],
  ['a proxy tier', { proxy: 'highquality' }],
  ['the browser', { useBrowser: true, timeoutSeconds: 110 }],
  ['the browser in a tier of masks', { useBrowser: true, proxy: 'hardcore', timeoutSeconds: 110 }],
])('a crawler with %s', (_client, config) => {
  it('says who it is, to robots.txt too', async () => {
    const { body } = await client.fetch(`${site.origin}/open`, config, ENFORCE);
    expect(Buffer.from(body).toString()).toContain(USER_AGENT);
    const asked = site.requests.filter(({ url }) => url === '/robots.txt' || url === '/open');
    expect(asked.map(({ headers }) => headers['user-agent'])).toEqual([USER_AGENT, USER_AGENT]);
  });

  it('goes where robots.txt lets the bot go, by redirects too', async () => {
    for (const path of ['/closed/x', `/hop?to=${encodeURIComponent('/closed/x')}`]) {
      await expect(client.fetch(site.origin + path, config, ENFORCE)).rejects.toMatchObject({
        code: 'fetch_failed',
        retryable: false,
        isUnreachable: false,
        options: { detail: 'robots.txt of the site does not allow ShopBot to fetch this page' },
      });
    }
    expect(site.requests.filter(({ url }) => url.startsWith('/closed'))).toEqual([]);
    expect((await client.fetch(`${site.origin}/hop?to=/open`, config, ENFORCE)).finalUrl).toBe(
      `${site.origin}/open`,
    );
  });
});

it('a crawler may send a User-Agent that its author chose', async () => {
  const { body } = await client.fetch(`${site.origin}/`, { headers: { 'User-Agent': 'mine/1' } }, ENFORCE);
  expect(Buffer.from(body).toString()).toBe('<p>mine/1</p>');
});

it('a crawler that only notes robots.txt says what it notes, one without it asks nobody', async () => {
  const url = `${site.origin}/hop?to=${encodeURIComponent('/closed/x')}`;
  const noted = await client.fetch(url, {}, { crawler: { robots: 'warn' } });
  expect(noted.robots).toEqual({
    noindex: false,
    nofollow: false,
    warning: 'robots.txt of the site does not allow ShopBot to fetch this page',
  });
  const other = await openClient();
  site.requests.length = 0;
  const free = await other.fetch(url, {}, { crawler: { robots: 'off' } });
  expect(free.robots).toEqual({ noindex: false, nofollow: false });
  expect(site.requests.map(({ url: seen }) => seen)).not.toContain('/robots.txt');
});

it('a crawler hands on what the X-Robots-Tag header tells it', async () => {
  expect((await client.fetch(`${site.origin}/tagged`, {}, ENFORCE)).robots).toEqual({
    noindex: true,
    nofollow: true,
  });
  expect((await client.fetch(`${site.origin}/tagged`)).robots).toBeUndefined();
});

it.each([401, 403, 404, 410, 429])('robots.txt with status %d allows all', async (status) => {
  robots = answers(status);
  expect((await client.fetch(`${site.origin}/closed`, {}, ENFORCE)).status).toBe(200);
});

it('a robots.txt that can not be read closes the site until it can', async () => {
  robots = answers(503);
  expect(await refusalOf('/open')).toMatchObject({
    retryable: true,
    isUnreachable: true,
    options: { detail: 'robots.txt of the site has status 503' },
  });
  const noted = await client.fetch(`${site.origin}/open`, {}, { crawler: { robots: 'warn' } });
  expect(noted.robots?.warning).toBe('robots.txt of the site has status 503');
  robots = says('');
  await expect
    .poll(() => client.fetch(`${site.origin}/open`, {}, ENFORCE), { interval: 200 })
    .toMatchObject({ status: 200 });
});

it('a site that refuses connections, or never sends its robots.txt, is closed', async () => {
  robots = () => undefined;
  const thrown: unknown = await client
    .fetch(`${site.origin}/open`, {}, { ...ENFORCE, deadlineAt: Date.now() + 500 })
    .catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: 'fetch_timed_out', retryable: true, isUnreachable: true });
  const dead = await startTestSite(says(''));
  await dead.close();
  const reach = await createTestFetcher(dead.host);
  clients.push(reach);
  await expect(reach.fetch(`${dead.origin}/`, {}, ENFORCE)).rejects.toMatchObject({
    retryable: true,
    isUnreachable: true,
    options: { detail: 'robots.txt of the site could not be read: the target refused the connection' },
  });
});

it('robots.txt may redirect five times; a file behind more counts as none', async () => {
  const text = 'User-agent: *\nDisallow: /closed';
  const behind =
    (redirects: number): RequestHandler =>
    (request, response) => {
      const hop = Number(new URL(request.url, 'http://site').searchParams.get('hop'));
      if (hop === redirects) says(text)(request, response);
      else response.writeHead(301, { location: `/robots.txt?hop=${hop + 1}` }).end();
    };
  robots = behind(5);
  expect((await refusalOf('/closed')).isUnreachable).toBe(false);
  robots = behind(6);
  expect((await (await openClient()).fetch(`${site.origin}/closed`, {}, ENFORCE)).status).toBe(200);
});

it('the first 500 KB of robots.txt count', async () => {
  const filler = '# filler\n'.repeat(60_000);
  robots = says(`User-agent: *\nDisallow: /closed\n${filler}Disallow: /open`);
  await refusalOf('/closed');
  expect((await client.fetch(`${site.origin}/open`, {}, ENFORCE)).status).toBe(200);
});

it('a crawler keeps to the pause that the site asks for, of ten seconds at most', async () => {
  robots = says('User-agent: *\nCrawl-delay: 0.4');
  const startedAt = Date.now();
  await Promise.all(Array.from({ length: 3 }, () => client.fetch(`${site.origin}/open`, {}, ENFORCE)));
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(795);
  robots = says('User-agent: *\nCrawl-delay: 3600');
  const other = await openClient();
  await other.fetch(`${site.origin}/open`, {}, ENFORCE);
  await expect(other.fetch(`${site.origin}/open`, { timeoutSeconds: 2 }, ENFORCE)).rejects.toMatchObject({
    isPaced: true,
    retryable: true,
    options: { retryAfterSeconds: 10, detail: `${site.host} asks crawlers for 10 seconds between pages` },
  });
  expect((await other.fetch(`${site.origin}/open`)).status).toBe(200);
});

it('a raw request may introduce itself as the crawler', async () => {
  const deadlineAt = Date.now() + 5_000;
  const { body } = await client.fetcher.fetchRaw({ url: `${site.origin}/`, deadlineAt, asCrawler: true });
  expect(Buffer.from(body).toString()).toBe(`<p>${USER_AGENT}</p>`);
});
