import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserPids } from '../testing/browser-pids.ts';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { startTestProxy } from '../testing/test-proxy.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let other: TestSite;
let client: TestFetcher;
/** Another host, not only another port: cookies ignore ports. */
let elsewhere = '';
/** Whether requests of `/hold` get no answer. */
let isHolding = true;

const SCRIPTED = `<p id="a">static</p><img src="/picture.png">
<script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<b class="late">written ' + navigator.language + '</b>'); }, 200)</script>`;

beforeAll(async () => {
  other = await startTestSite((_request, response) => sendPage(response, '<p>other</p>'));
  site = await startTestSite(({ url, headers }, response) => {
    const { pathname } = new URL(url, 'http://site');
    if (pathname === '/scripted') sendPage(response, SCRIPTED);
    else if (pathname === '/scripted-later') sendPage(response, SCRIPTED.replace('}, 200)', '}, 5_000)'));
    else if (pathname === '/headers') {
      sendPage(
        response,
        `<pre>${JSON.stringify(headers)}</pre><script src="${elsewhere}/third-party.js"></script>`,
      );
    } else if (pathname === '/spin') sendPage(response, '<p>x</p><script>for(;;);</script>');
    else if (pathname === '/large') {
      sendPage(response, '<script>document.write("x".repeat(3000000))</script>');
    } else if (pathname === '/download') {
      response
        .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
        .end('PK');
    } else if (pathname === '/json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":[1,2]}');
    } else if (pathname === '/leave') response.writeHead(302, { location: `${elsewhere}/arrived` }).end();
    else if (pathname === '/cut') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '9000' });
      response.write('<p>first</p>', () => setTimeout(() => response.destroy(), 100));
    } else if (pathname === '/garbled') {
      sendPage(response, '<p>plain</p>', { 'content-encoding': 'gzip' });
    } else if (pathname === '/ample') sendPage(response, '<p>ample</p><script src="/ample.js"></script>');
    else if (pathname === '/ample.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(`//${'x'.repeat(300_000)}`);
    } else if (pathname === '/hold') {
      if (!isHolding) sendPage(response, 'held');
    } else if (pathname === '/picture.png') response.writeHead(200, { 'content-type': 'image/png' }).end();
    else sendPage(response, '<p>page</p>');
  });
  elsewhere = `http://localhost:${other.port}`;
  client = await createTestFetcher(`${site.host},localhost:${other.port}`, { maxDecodedBytes: 1_000_000 });
});

afterEach(() => {
  expect(client.fetcher.stats().browser.pages).toBe(0);
  expect(client.fetcher.stats().proxy.routes).toBe(0);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
  await other.close();
});

const BROWSER = { useBrowser: true };
function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

describe('a page in the browser', () => {
  it('is what its script has made of it', async () => {
    const page = await client.fetch(`${site.origin}/scripted`, { ...BROWSER, waitForBrowser: '.late' });
    expect(text(page.body)).toContain('<b class="late">written en-US</b>');
    expect(page).toMatchObject({ engine: 'browser', status: 200, contentType: 'text/html; charset=utf-8' });
  });

  it('is waited for as long as asked', async () => {
    const early = await client.fetch(`${site.origin}/scripted-later`, BROWSER);
    expect(text(early.body)).not.toContain('written en-US');
    const late = await client.fetch(`${site.origin}/scripted`, { ...BROWSER, waitSeconds: 0.5 });
    expect(text(late.body)).toContain('written en-US');
  });

  it('loads no pictures unless it should', async () => {
    const pictures = (): number => site.requests.filter(({ url }) => url === '/picture.png').length;
    const before = pictures();
    await client.fetch(`${site.origin}/scripted`, BROWSER);
    expect(pictures()).toBe(before);
    await client.fetch(`${site.origin}/scripted`, { ...BROWSER, blockResources: false });
    expect(pictures()).toBe(before + 1);
  });

  it('sends its own headers and cookies to its own site alone', async () => {
    const page = await client.fetch(`${site.origin}/headers`, {
      ...BROWSER,
      headers: {
        Authorization: 'Bearer secret',
        'User-Agent': 'Custom/1',
        Referer: 'https://from.example.com/',
      },
      cookies: { session: 'secret' },
    });
    expect(text(page.body)).toMatch(/"authorization":"Bearer secret"/);
    expect(text(page.body)).toMatch(/"user-agent":"Custom\/1"/);
    expect(text(page.body)).not.toContain('Headless');
    expect(text(page.body)).toMatch(/"cookie":"session=secret"/);
    expect(text(page.body)).toMatch(/"referer":"https:\/\/from.example.com\/"/);
    const third = other.requests.find(({ url }) => url === '/third-party.js');
    expect(third).toBeDefined();
    expect(JSON.stringify(third?.headers)).not.toContain('secret');

    await client.fetch(`${site.origin}/leave`, { ...BROWSER, headers: { Authorization: 'Bearer secret' } });
    const arrived = other.requests.find(({ url }) => url === '/arrived');
    expect(arrived).toBeDefined();
    expect(JSON.stringify(arrived?.headers)).not.toContain('secret');
  });

  it('is asked for in the language that a header names', async () => {
    const config = { ...BROWSER, headers: { 'Accept-Language': 'de-AT,de;q=0.7' } };
    const page = await client.fetch(`${site.origin}/headers`, config);
    expect(text(page.body)).toMatch(/"accept-language":"de-AT,de;q=0.7"/);
    expect(
      text((await client.fetch(`${site.origin}/scripted`, { ...config, waitSeconds: 0.5 })).body),
    ).toContain('written de-AT');
  });

  it('gets cookies as plain HTTP sends them, and says which it can’t have', async () => {
    const cookies = { a: 'x; b=c', d: 'e,f' };
    for (const config of [BROWSER, {}]) {
      const page = await client.fetch(`${site.origin}/headers`, { ...config, cookies });
      expect(text(page.body)).toMatch(/"cookie":"a=x%3B b=c; d=e,f"/);
    }
    await expect(
      client.fetch(`${site.origin}/headers`, { ...BROWSER, cookies: { '__Host-a': '1' } }),
    ).rejects.toMatchObject({ code: 'invalid_request', options: { field: 'scrape_config.cookies' } });
  });

  it('comes after a redirect, every time and side by side', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const pages = await Promise.all(
        [true, false, true, false].map((blockResources) =>
          client.fetch(`${site.origin}/leave`, { ...BROWSER, blockResources, timeoutSeconds: 110 }),
        ),
      );
      expect(new Set(pages.map(({ finalUrl }) => finalUrl))).toEqual(new Set([`${elsewhere}/arrived`]));
    }
  });

  it('does not say that it has no window', async () => {
    const page = await client.fetch(`${site.origin}/headers`, BROWSER);
    expect(text(page.body)).toMatch(/Chrome\/\d+/);
    expect(text(page.body)).not.toContain('Headless');
    expect(text(page.body)).not.toMatch(/proxy-/);
  });

  it('may be JSON', async () => {
    const page = await client.fetch(`${site.origin}/json`, BROWSER);
    expect(text(page.body)).toBe('{"a":[1,2]}');
  });

  it.each([
    ['/download', 'fetch_failed', /download|application\/zip/],
    ['/large', 'fetch_failed', /larger than 1000000 bytes/],
  ])('is refused: %s', async (path, code, detail) => {
    await expect(client.fetch(site.origin + path, BROWSER)).rejects.toMatchObject({
      code,
      retryable: false,
      options: { detail: expect.stringMatching(detail) },
    });
  });

  it.each([
    ['/cut', true, 'the target closed the connection'],
    ['/garbled', false, "the target's answer is not valid HTTP"],
  ])('fails at once when its body breaks off: %s', async (path, retryable, detail) => {
    await expect(client.fetch(site.origin + path, BROWSER, { attempts: 'none' })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable,
      options: { detail },
    });
  });

  it('ends in time, and says what it waited for', async () => {
    // A browser is open, and the limit leaves a busy machine the time to load the page.
    await client.fetch(`${site.origin}/`, BROWSER);
    const [spun] = await Promise.allSettled([
      client.fetch(`${site.origin}/spin`, { ...BROWSER, timeoutSeconds: 2 }),
    ]);
    const outcomes = await Promise.allSettled([
      client.fetch(`${site.origin}/scripted`, { ...BROWSER, waitForBrowser: '.never', timeoutSeconds: 30 }),
      client.fetch(`${site.origin}/scripted`, { ...BROWSER, waitForBrowser: 'p[', timeoutSeconds: 110 }),
    ]);
    expect(
      [spun, ...outcomes].map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'fetched')),
    ).toEqual(['fetch_timed_out', 'fetch_timed_out', 'invalid_request']);
    expect(outcomes[0]).toMatchObject({
      reason: { options: { detail: 'nothing matched waitForBrowser: .never' } },
    });
    await expect.poll(() => client.fetcher.stats().browser.pages).toBe(0);
    await expect.poll(() => client.fetcher.stats().proxy.routes).toBe(0);
  });

  it('is left at once when its fetch is cancelled', async () => {
    const abort = new AbortController();
    const fetching = client.fetch(`${site.origin}/hold`, BROWSER, { signal: abort.signal });
    await expect.poll(() => site.requests.some(({ url }) => url === '/hold')).toBe(true);
    abort.abort(new Error('client gone'));
    await expect(fetching).rejects.toThrow('client gone');
    await expect.poll(() => client.fetcher.stats().browser.pages).toBe(0);
    await expect.poll(() => client.fetcher.stats().proxy.routes).toBe(0);
  });
});

describe.runIf(process.platform === 'linux')('a browser', { meta: { missing: '/proc' } }, () => {
  it('knows nothing of this process’s environment', async () => {
    await client.fetch(`${site.origin}/`, BROWSER);
    const [pid] = await browserPids();
    expect(pid).toBeDefined();
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).not.toContain('PATH=');
    expect(environment).not.toContain('HOME=');
  });

  it('that dies takes only its own fetches with it, and those are tried again', async () => {
    const before = site.requests.filter(({ url }) => url === '/hold').length;
    const fetching = client.fetch(`${site.origin}/hold`, { ...BROWSER, retries: 2 });
    await expect
      .poll(() => site.requests.filter(({ url }) => url === '/hold').length)
      .toBeGreaterThan(before);
    isHolding = false;
    for (const pid of await browserPids()) process.kill(pid, 'SIGKILL');
    const page = await fetching;
    expect(page.attempts).toBeGreaterThan(1);
    expect(text(page.body)).toContain('held');
  });

  it('that died is not asked for another page', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await client.fetch(`${site.origin}/`, BROWSER);
      for (const pid of await browserPids()) process.kill(pid, 'SIGKILL');
      const page = await client.fetch(`${site.origin}/`, BROWSER);
      expect(page).toMatchObject({ attempts: 1 });
    }
  });

  it('that hangs is killed, and the next fetch gets another', async () => {
    await client.fetch(`${site.origin}/`, BROWSER);
    const stopped = await browserPids();
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    await expect(client.fetch(`${site.origin}/`, { ...BROWSER, timeoutSeconds: 2 })).rejects.toMatchObject({
      code: 'fetch_timed_out',
      retryable: true,
    });
    const page = await client.fetch(`${site.origin}/`, { ...BROWSER, timeoutSeconds: 110, retries: 1 });
    expect(text(page.body)).toContain('page');
    await expect.poll(async () => (await browserPids()).filter((pid) => stopped.includes(pid))).toEqual([]);
    await expect.poll(() => client.fetcher.stats().browser.pages).toBe(0);
    await expect.poll(() => client.fetcher.stats().proxy.routes).toBe(0);
  });

  it('leaves no process behind', async () => {
    const own = await createTestFetcher(site.host, { browser: { retireAfterPages: 2 } });
    for (let turn = 0; turn < 5; turn += 1) await own.fetch(`${site.origin}/`, BROWSER);
    expect(own.fetcher.stats().browser.launched).toBeGreaterThan(1);
    const known = (await browserPids()).length;
    await own.fetcher.close();
    await expect.poll(async () => (await browserPids()).length).toBeLessThan(known);
  });
});

describe('hardcore', () => {
  /** Fetches through a proxy rotate over eight sessions: after seven others comes the same one again. */
  const passOthers = (own: TestFetcher): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 7 }, () => own.fetch(`${site.origin}/headers`, { proxy: 'highquality' })),
    );

  it('is always a browser, through its proxies, with looks that a visitor keeps', async () => {
    const proxy = await startTestProxy({ password: 'pass' });
    const own = await createTestFetcher(site.host, {
      proxies: {
        hardcore: [proxy.url('hard-{session}:pass')],
        highquality: [proxy.url('other-{session}:pass')],
      },
    });
    const agents: string[] = [];
    const visitors: (string | undefined)[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const page = await own.fetch(`${site.origin}/headers`, { proxy: 'hardcore' });
      expect(page.engine).toBe('browser');
      agents.push(/"user-agent":"([^"]*)"/.exec(text(page.body))?.[1] ?? '');
      visitors.push(proxy.seen.at(-1)?.username);
      await passOthers(own);
    }
    expect(agents[0]).toMatch(/Linux.*Chrome/);
    expect(agents[1]).toBe(agents[0]);
    expect(visitors[0]).toMatch(/^hard-/);
    expect(visitors[1]).toBe(visitors[0]);
    await own.fetcher.close();
    await proxy.close();
  });

  it('may bring in as much with each page as with its first', async () => {
    const proxy = await startTestProxy({ password: 'pass' });
    const own = await createTestFetcher(site.host, {
      proxies: {
        hardcore: [proxy.url('hard-{session}:pass')],
        highquality: [proxy.url('other-{session}:pass')],
      },
      maxDecodedBytes: 100_000,
    });
    const config = { proxy: 'hardcore', waitSeconds: 0.7 };
    for (let turn = 0; turn < 4; turn += 1) {
      const page = await own.fetch(`${site.origin}/ample`, config);
      expect(text(page.body)).toContain('ample');
      await passOthers(own);
    }
    await own.fetcher.close();
    await proxy.close();
  });
});
