import { parseProxyTemplate } from './proxy-template.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FetchMetrics } from '../fetch-types.ts';
import { createTestFetcher } from '../testing/test-fetcher.ts';
import { startTestSocks } from '../testing/test-socks.ts';
import { startTestProxy, type TestProxy } from '../testing/test-proxy.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';
import { createProxyRests } from './proxy-rests.ts';

const SECRET = 'pr0xy-passw0rd';

let site: TestSite;
let first: TestProxy;
let second: TestProxy;
/** Answers that never end, after their clients have left. */
const left: string[] = [];

beforeAll(async () => {
  site = await startTestSite(({ headers, url }, response) => {
    if (url.startsWith('/film')) {
      response.once('close', () => left.push(url));
      const type = url === '/film' ? 'video/mp4' : 'text/html';
      response.writeHead(200, { 'content-type': type }).write('film');
    } else if (url.startsWith('/blocked')) response.writeHead(403).end('no');
    else sendPage(response, headers['user-agent'] ?? '', { 'set-cookie': 'visitor=1' });
  });
  first = await startTestProxy({ password: SECRET });
  second = await startTestProxy({ password: SECRET });
});

afterAll(async () => {
  await site.close();
  await first.close();
  await second.close();
});

function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

describe('tiers', () => {
  it('go out through their own proxies, with their own looks', async () => {
    const { fetch, fetcher } = await createTestFetcher(site.host, {
      proxies: {
        default: [first.url(`default:${SECRET}`)],
        highquality: [first.url(`high:${SECRET}`)],
        premium: [first.url(`premium-{country}-{session}:${SECRET}`)],
      },
    });
    const plain = await fetch(`${site.origin}/`, {});
    const high = await fetch(`${site.origin}/`, { proxy: 'highquality' });
    await fetch(`${site.origin}/`, { proxy: 'premium:de' });
    await fetch(`${site.origin}/`, { proxy: 'premium', country: 'FR' });
    expect(plain.engine).toBe('impit');
    expect(text(plain.body)).toContain('Gleaner');
    expect(text(high.body)).toMatch(/Mozilla.*Chrome\/\d+/);
    const names = first.seen.map(({ username }) => username);
    expect(names.slice(0, 2)).toEqual(['default', 'high']);
    expect(names[2]).toMatch(/^premium-de-[0-9a-f]{12}$/);
    expect(names[3]).toMatch(/^premium-fr-[0-9a-f]{12}$/);
    await fetcher.close();
  });

  it('ask for a country only of proxies that can choose one', async () => {
    const { fetch, fetcher } = await createTestFetcher(site.host, {
      proxies: { premium: [first.url(`fixed:${SECRET}`)] },
    });
    await expect(fetch(`${site.origin}/`, { proxy: 'premium:de' })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      options: { field: 'proxy', detail: expect.stringContaining('{country}') },
    });
    await expect(fetch(`${site.origin}/`, { proxy: 'premium', country: 'de' })).resolves.toBeDefined();
    await fetcher.close();
  });

  it('spread fetches over eight sessions, each with its proxy and cookies', async () => {
    const { fetch, fetcher } = await createTestFetcher(site.host, {
      proxies: { highquality: [first.url(`a-{session}:${SECRET}`), second.url(`b-{session}:${SECRET}`)] },
    });
    const before = { first: first.seen.length, second: second.seen.length };
    for (let turn = 0; turn < 16; turn += 1) await fetch(`${site.origin}/sticky`, { proxy: 'highquality' });
    for (const seen of [first.seen.slice(before.first), second.seen.slice(before.second)]) {
      expect(new Set(seen.map(({ username }) => username)).size).toBe(4);
      expect(seen.slice(4).map(({ username }) => username)).toEqual(
        seen.slice(0, 4).map(({ username }) => username),
      );
    }
    const cookies = site.requests.filter(({ url }) => url === '/sticky').map(({ headers }) => headers.cookie);
    expect(cookies.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => undefined));
    expect(cookies.slice(8)).toEqual(Array.from({ length: 8 }, () => 'visitor=1'));
    await fetcher.close();
  });

  it('keep a session while its only proxy rests for what others asked of it', async () => {
    const dead = await startTestSite(() => undefined);
    await dead.close();
    const { fetch, fetcher } = await createTestFetcher(`${site.host} ${dead.host}`, {
      proxies: { premium: [first.url(`only-{session}:${SECRET}`)] },
    });
    const visitAll = async (): Promise<(string | undefined)[]> => {
      const before = first.seen.length;
      for (let turn = 0; turn < 8; turn += 1) await fetch(`${site.origin}/`, { proxy: 'premium' });
      return first.seen.slice(before).map(({ username }) => username);
    };
    const visitors = await visitAll();
    for (let turn = 0; turn < 4; turn += 1) {
      const failed = fetch(`${dead.origin}/`, { proxy: 'premium' }, { accountId: 'acc_other' });
      await expect(failed).rejects.toMatchObject({ code: 'fetch_failed' });
    }
    expect(fetcher.stats().tiers).toMatchObject({ premium: { resting: 1 } });
    expect(new Set(await visitAll())).toEqual(new Set(visitors));
    await fetcher.close();
  });

  it('let go of an answer that is refused before its body, and of one that never ends', async () => {
    const { fetch, fetcher } = await createTestFetcher(site.host, {
      proxies: { premium: [first.url(`film:${SECRET}`)] },
    });
    await expect(fetch(`${site.origin}/film`, { proxy: 'premium' })).rejects.toMatchObject({
      options: { detail: expect.stringContaining('video/mp4') },
    });
    await expect.poll(() => left).toEqual(['/film']);
    const endless = fetch(`${site.origin}/film.html`, { proxy: 'premium', timeoutSeconds: 3 });
    await expect(endless).rejects.toMatchObject({ code: 'fetch_timed_out' });
    await expect.poll(() => left).toEqual(['/film', '/film.html']);
    await fetcher.close();
  });

  it('answer a block with another visitor', async () => {
    const { fetch, fetcher } = await createTestFetcher(site.host, {
      proxies: { premium: [first.url(`p-{session}:${SECRET}`)] },
    });
    const before = first.seen.length;
    for (let turn = 0; turn < 9; turn += 1)
      await expect(fetch(`${site.origin}/blocked`, { proxy: 'premium' })).rejects.toMatchObject({
        code: 'target_blocked',
        retryable: true,
      });
    const visitors = first.seen.slice(before).map(({ username }) => username);
    expect(new Set(visitors).size).toBe(9);
    await fetcher.close();
  });
});

describe('a SOCKS5 proxy', () => {
  it('carries plain and browser fetches, and gets the name and not an address', async () => {
    const socks = await startTestSocks('user', SECRET);
    const { fetch, fetcher } = await createTestFetcher(`named.example.com:${site.port}`, {
      proxies: { premium: [socks.url] },
      resolve: async () => ['127.0.0.1'],
    });
    const url = `http://named.example.com:${site.port}/`;
    expect((await fetch(url, { proxy: 'premium' })).engine).toBe('impit');
    expect((await fetch(url, { proxy: 'premium', useBrowser: true })).engine).toBe('browser');
    expect(new Set(socks.hosts)).toEqual(new Set([`named.example.com:${site.port}`]));
    await fetcher.close();
    await socks.close();
  });
});

describe('bad proxies', () => {
  it('are passed over: one that is dead, one that refuses our credentials', async () => {
    const dead = await startTestProxy({ password: SECRET });
    await dead.close();
    const outcomes: boolean[] = [];
    const metrics: FetchMetrics = { proxyOutcome: ({ isGood }) => outcomes.push(isGood) };
    const { fetch, fetcher, logged } = await createTestFetcher(
      site.host,
      {
        proxies: { highquality: [dead.url(`d:${SECRET}`), first.url('w:wrong'), second.url(`g:${SECRET}`)] },
      },
      { metrics },
    );
    for (let turn = 0; turn < 8; turn += 1) {
      const page = await fetch(`${site.origin}/`, { proxy: 'highquality', retries: 3 });
      expect(page.status).toBe(200);
    }
    expect(outcomes).toContain(false);
    expect(outcomes.slice(-3)).toEqual([true, true, true]);
    expect(logged.join('\n')).not.toContain(SECRET);
    await fetcher.close();
  });

  it('are found out when they lie about a TLS target', async () => {
    const liar = await startTestProxy({ password: SECRET, misdirectTo: '<p>an advertisement</p>' });
    const { fetch, fetcher } = await createTestFetcher(site.host, {
      proxies: { highquality: [liar.url(`l:${SECRET}`)] },
    });
    // It can't answer for a certificate that it does not have; our error must not name it either.
    const error = await fetch(`https://${site.host}/`, { proxy: 'highquality' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'fetch_failed', retryable: true });
    expect(JSON.stringify(error)).not.toContain(SECRET);
    await fetcher.close();
    await liar.close();
  });

  it('rest longer each time, and one success makes them whole', () => {
    let time = 0;
    const rests = createProxyRests(2, () => time);
    for (let failure = 0; failure < 3; failure += 1) rests.markBad(0);
    expect(rests.isResting(0)).toBe(true);
    expect([rests.next(() => true), rests.next(() => true)]).toEqual([1, 1]);
    time = 30_001;
    expect(rests.isResting(0)).toBe(false);
    rests.markBad(0);
    time += 30_001;
    expect(rests.isResting(0)).toBe(true);
    time += 30_001;
    expect(rests.isResting(0)).toBe(false);
    rests.markGood(0);
    rests.markBad(0);
    expect(rests.isResting(0)).toBe(false);
  });

  it('are used all the same when there is no other', () => {
    const rests = createProxyRests(1, () => 0);
    for (let failure = 0; failure < 3; failure += 1) rests.markBad(0);
    expect(rests.next(() => true)).toBe(0);
  });
});

describe('a proxy URL', () => {
  it.each(['not a url', 'ftp://user:hush@host:1', 'http://user:hush@'])(
    'that is wrong is refused with its setting, without its credentials: %s',
    (entry) => {
      const read = (): unknown => parseProxyTemplate(entry, 'GLEANER_PROXY_PREMIUM');
      expect(read).toThrow('GLEANER_PROXY_PREMIUM');
      expect(read).not.toThrow('hush');
    },
  );

  it('is shown without its credentials', () => {
    expect(parseProxyTemplate('socks5h://u-{country}:hush@host:1080', 'X').label).toBe('socks5h://host:1080');
  });
});
