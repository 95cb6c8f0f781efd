import { AppError } from '@gleaner/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Server } from 'proxy-chain';
import { startCanary, type Canary } from '../testing/canary.ts';
import { INNER_URLS, loopbackUrls } from '../testing/hostile-urls.ts';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

/**
 * Every hostile form, by every client without a browser, against a canary on loopback. The guard allows the test site
 * beside the canary, which proves that each way works where it is allowed.
 */
let canary: Canary;
let site: TestSite;
let upstream: Server;
let direct: TestFetcher;
const asked: string[] = [];

const REDIRECTS = [301, 302, 303, 307, 308];

beforeAll(async () => {
  canary = await startCanary();
  site = await startTestSite(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://site');
    if (pathname === '/to') {
      // Raw UTF-8 in a header, as careless servers send it; a header can't hold a line break.
      const location = Buffer.from((searchParams.get('url') ?? '').replaceAll('\n', '')).toString('latin1');
      response.writeHead(Number(searchParams.get('status')), { location }).end();
    } else if (pathname === '/chain') {
      const left = Number(searchParams.get('left'));
      const next = left === 0 ? `http://127.0.0.1:${canary.port}/` : `/chain?left=${left - 1}`;
      response.writeHead(302, { location: next }).end();
    } else sendPage(response, '<p>fine</p>');
  });
  // The upstream proxy checks nothing: it connects anywhere and records where.
  upstream = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: ({ hostname, port }) => {
      asked.push(`${hostname}:${port}`);
      return undefined;
    },
  });
  await upstream.listen();
  const proxy = `http://127.0.0.1:${upstream.port}`;
  let turn = 0;
  direct = await createTestFetcher(site.host, {
    proxies: { highquality: [proxy], premium: [proxy] },
    resolve: async (host) => {
      // The test's names: the first rebinds, the second has an inner address too, the third has only an inner address.
      turn += 1;
      if (host === 'rebind.example.com') return turn % 2 === 1 ? ['192.0.2.1'] : ['127.0.0.1'];
      if (host === 'mixed.example.com') return ['93.184.216.34', '127.0.0.1'];
      return ['127.0.0.1'];
    },
  });
});

afterAll(async () => {
  await direct.fetcher.close();
  await upstream.close(true);
  await site.close();
  await canary.close();
});

function hostile(): string[] {
  return [
    ...loopbackUrls(canary.port),
    ...INNER_URLS,
    `http://mixed.example.com:${canary.port}/`,
    `http://rebind.example.com:${canary.port}/`,
    `http://rebind.example.com:${canary.port}/`,
    `http://127.0.0.1.nip.io:${canary.port}/`,
  ];
}

describe.each([
  ['undici', 'default'],
  ['impit through an upstream proxy', 'highquality'],
])('%s', (_client, proxy) => {
  const refusal = (url: string): Promise<unknown> =>
    direct.fetch(url, { proxy }).then(
      (page) => `fetched ${page.finalUrl}`,
      (error: unknown) => error,
    );

  it('fetches what it may', async () => {
    const page = await direct.fetch(`${site.origin}/`, { proxy });
    expect(Buffer.from(page.body).toString()).toBe('<p>fine</p>');
  });

  it('reaches no inner address in any notation', async () => {
    for (const url of hostile()) {
      expect(await refusal(url), url).toMatchObject({ code: 'fetch_failed', retryable: false });
    }
    expect(canary.hits()).toEqual([]);
    expect(asked.every((host) => host === site.host)).toBe(true);
  });

  it('reaches no inner address by a redirect of any kind', async () => {
    for (const status of REDIRECTS) {
      for (const url of [
        ...loopbackUrls(canary.port),
        'file:///etc/passwd',
        'http://169.254.169.254/',
        '//0x7f.1/',
      ]) {
        const target = `${site.origin}/to?status=${status}&url=${encodeURIComponent(url)}`;
        const outcome = await refusal(target);
        // Some forms are relative paths after a redirect: then the site itself answers.
        if (typeof outcome === 'string') expect(outcome, url).toContain(`fetched ${site.origin}/`);
        else expect(outcome, url).toMatchObject({ code: 'fetch_failed' });
      }
    }
    expect(canary.hits()).toEqual([]);
    expect(asked.every((host) => host === site.host)).toBe(true);
  });

  it('reaches no inner address at the end of a chain, and ends long chains', async () => {
    expect(await refusal(`${site.origin}/chain?left=5`)).toMatchObject({
      options: { detail: 'target not allowed' },
    });
    expect(await refusal(`${site.origin}/chain?left=30`)).toMatchObject({
      options: { detail: 'more than 10 redirects' },
    });
    expect(canary.hits()).toEqual([]);
  });
});

describe('webhooks and robots.txt', () => {
  it('reach no inner address', async () => {
    for (const url of hostile()) {
      await expect(
        direct.fetcher.fetchRaw({ url, method: 'POST', body: '{}', deadlineAt: Date.now() + 5_000 }),
      ).rejects.toMatchObject({ code: 'fetch_failed' });
      await expect(direct.fetch(url, { respectRobots: true })).rejects.toMatchObject({
        code: 'fetch_failed',
      });
    }
    expect(canary.hits()).toEqual([]);
  });
});

describe('the proxy door', () => {
  it('refuses each of many at once, and blames no proxy for it', async () => {
    const url = `http://127.0.0.1:${canary.port}/`;
    const details = await Promise.all(
      Array.from({ length: 24 }, () =>
        direct.fetch(url, { proxy: 'premium' }).then(
          () => 'fetched',
          (error: unknown) => (error instanceof AppError ? error.options.detail : error),
        ),
      ),
    );
    expect(new Set(details)).toEqual(new Set(['target not allowed']));
    expect(direct.fetcher.stats().tiers).toMatchObject({ premium: { resting: 0 } });
  });

  it('lets nobody in without its credentials', async () => {
    const route = direct.fetcher.guardProxy.openRoute();
    const answer = await direct.fetcher.guard.decide('127.0.0.1', site.port);
    expect(answer).toHaveLength(1);
    const { request } = await import('node:http');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(route.server);
      request({ host: hostname, port, path: `${site.origin}/` }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    route.close();
    expect(status).toBe(407);
  });
});

describe('the canary', () => {
  it('counts what reaches it when it is allowed', async () => {
    const open = await createTestFetcher(`127.0.0.0/8 ::1/128`);
    const before = canary.hits().length;
    await open.fetch(`http://127.0.0.1:${canary.port}/`);
    expect(canary.hits().length).toBe(before + 1);
    await open.fetcher.close();
  });
});
