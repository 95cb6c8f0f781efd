import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type RequestHandler, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let other: TestSite;
let client: TestFetcher;
const answers = new Map<string, RequestHandler>();

beforeAll(async () => {
  const answer: RequestHandler = (request, response) => {
    const found = answers.get(new URL(request.url, 'http://site').pathname);
    if (found === undefined) sendPage(response, `<p>page</p>`);
    else found(request, response);
  };
  site = await startTestSite(answer);
  other = await startTestSite(answer);
  client = await createTestFetcher(`${site.host},${other.host}`);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
  await other.close();
});

it('dates a page by the clock that it is given', async () => {
  const now = Date.parse('2001-02-03T04:05:06.789Z');
  const dated = await createTestFetcher(site.host, {}, { now: () => now });
  expect((await dated.fetch(site.origin)).fetchedAt).toBe('2001-02-03T04:05:06.789Z');
  await dated.fetcher.close();
});

function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}
function at(path: string, answer: RequestHandler): string {
  answers.set(path, answer);
  return site.origin + path;
}
function lastAt(where: TestSite, path: string) {
  return where.requests.findLast(({ url }) => url.startsWith(path));
}

describe('redirects', () => {
  it('keep cookies on the way and end at the last page', async () => {
    const url = at('/start', (_request, response) => {
      response.writeHead(302, { location: '/middle', 'set-cookie': ['a=1; Path=/', 'b=2; Path=/'] }).end();
    });
    at('/middle', (_request, response) => {
      response.writeHead(307, { location: '/end?x=1#frag', 'set-cookie': 'a=3; Path=/' }).end();
    });
    at('/end', ({ headers }, response) => sendPage(response, `cookies: ${headers.cookie}`));
    const page = await client.fetch(url, { cookies: { own: 'x' } });
    expect(page.finalUrl).toBe(`${site.origin}/end?x=1#frag`);
    expect(text(page.body)).toBe('cookies: own=x; a=3; b=2');
    const config = { headers: { Cookie: 'own=y;a=0; login=1' }, cookies: { own: 'x' } };
    expect(text((await client.fetch(url, config)).body)).toBe('cookies: own=x; a=0; login=1; b=2');
  });

  it('by a refresh are followed, counted and stripped of credentials', async () => {
    const url = at('/refresh', (_request, response) => {
      sendPage(response, `<meta http-equiv=refresh content="0;url=${other.origin}/refreshed">`);
    });
    at('/refreshed', (_request, response) => sendPage(response, 'arrived'));
    const page = await client.fetch(url, {
      headers: { Authorization: 'Bearer secret' },
      cookies: { own: 'x' },
    });
    expect(page.finalUrl).toBe(`${other.origin}/refreshed`);
    expect(text(page.body)).toBe('arrived');
    expect(lastAt(other, '/refreshed')?.headers).not.toMatchObject({ authorization: expect.anything() });
    expect(lastAt(other, '/refreshed')?.headers).not.toMatchObject({ cookie: expect.anything() });
  });

  it('in a circle of refreshes end', async () => {
    const url = at('/round', ({ url: asked }, response) => {
      const next = Number(new URL(asked, 'http://site').searchParams.get('n')) + 1;
      sendPage(response, `<meta http-equiv=refresh content="0;url=/round?n=${next}">`);
    });
    await expect(client.fetch(url)).rejects.toMatchObject({
      code: 'fetch_failed',
      options: { detail: 'more than 10 redirects' },
    });
  });

  it('leave credentials behind at another origin', async () => {
    const url = at('/leave', (_request, response) => {
      response.writeHead(302, { location: `${other.origin}/arrive` }).end();
    });
    await client.fetch(url, {
      headers: { Authorization: 'Bearer secret', 'X-Api-Key': 'secret', 'X-Plain': 'kept' },
      cookies: { session: 'secret' },
    });
    expect(lastAt(site, '/leave')?.headers).toMatchObject({
      authorization: 'Bearer secret',
      cookie: 'session=secret',
    });
    const arrived = lastAt(other, '/arrive')?.headers;
    expect(arrived).toMatchObject({ 'x-plain': 'kept' });
    expect(JSON.stringify(arrived)).not.toContain('secret');
  });

  it.each([
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ])('treat a POST after %i as browsers do: %s', async (status, method) => {
    const url = at('/post', (_request, response) => {
      response.writeHead(status, { location: '/posted' }).end();
    });
    await client.fetch(url, { headers: { 'Content-Type': 'text/plain' } }, { method: 'POST', body: 'data' });
    const posted = lastAt(site, '/posted');
    expect(posted).toMatchObject({ method, body: method === 'POST' ? 'data' : '' });
    expect(posted?.headers['content-type']).toBe(method === 'POST' ? 'text/plain' : undefined);
  });

  it('end after ten', async () => {
    const url = at('/loop', (_request, response) => {
      response.writeHead(302, { location: '/loop' }).end();
    });
    const before = site.requests.length;
    await expect(client.fetch(url)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: 'more than 10 redirects' },
    });
    expect(site.requests.length - before).toBe(11);
  });
});

describe('cookies', () => {
  it('end with their fetch', async () => {
    const url = at('/cookies', ({ headers }, response) => {
      sendPage(response, headers.cookie ?? 'none', { 'set-cookie': 'seen=1' });
    });
    for (let turn = 0; turn < 2; turn += 1) expect(text((await client.fetch(url)).body)).toBe('none');
  });
});

describe('limits of time', () => {
  it('end a target that never answers, one that stops in the middle, and one that trickles', async () => {
    const silent = at('/silent', () => undefined);
    const stopping = at('/stopping', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('<p>');
    });
    const trickling = at('/trickling', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('.'), 100);
      response.once('close', () => clearInterval(timer));
    });
    const outcomes = await Promise.allSettled([
      client.fetch(silent, { timeoutSeconds: 2 }),
      client.fetch(stopping, { timeoutSeconds: 2 }),
      client.fetch(trickling, { timeoutSeconds: 2 }),
      client.fetch(silent, {}, { deadlineAt: Date.now() + 500 }),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : outcome.status)),
    ).toEqual(Array.from({ length: 4 }, () => 'fetch_timed_out'));
  });

  it('let a cancelled fetch go at once, and close its connection', async () => {
    let closed = false;
    const url = at('/cancelled', (_request, response) => {
      response.once('close', () => {
        closed = true;
      });
    });
    const abort = new AbortController();
    const fetching = client.fetch(url, {}, { signal: abort.signal });
    await expect.poll(() => lastAt(site, '/cancelled')).toBeDefined();
    abort.abort(new Error('client gone'));
    await expect(fetching).rejects.toThrow('client gone');
    await expect.poll(() => closed).toBe(true);
  });
});

describe('retries', () => {
  it('heal what can heal, and give up what can not', async () => {
    let count = 0;
    const flaky = at('/flaky', (_request, response) => {
      count += 1;
      if (count < 3) response.writeHead(500).end();
      else sendPage(response, 'healed');
    });
    const page = await client.fetch(flaky, { retries: 2 });
    expect(page).toMatchObject({ attempts: 3, status: 200 });

    let asked = 0;
    const gone = at('/gone', (_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    await expect(client.fetch(gone, { retries: 3 })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: 'the target answered with status 404' },
    });
    expect(asked).toBe(1);
  });

  it('can be left to the caller, who learns whether and when', async () => {
    let asked = 0;
    const busy = `${other.origin}/busy`;
    answers.set('/busy', (_request, response) => {
      asked += 1;
      response.writeHead(503, { 'retry-after': '7' }).end();
    });
    await expect(client.fetch(busy, { retries: 5 }, { attempts: 'none' })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: true,
      options: { retryAfterSeconds: 7 },
    });
    expect(asked).toBe(1);
  });

  it('make the whole host wait when it asked for it', async () => {
    const startedAt = Date.now();
    const calm = await createTestFetcher(site.host);
    let isBusy = true;
    const url = at('/pause', (_request, response) => {
      if (isBusy) response.writeHead(429, { 'retry-after': '1' }).end();
      else sendPage(response, 'fine');
      isBusy = false;
    });
    await expect(calm.fetch(url)).rejects.toMatchObject({ code: 'target_blocked', retryable: true });
    await calm.fetch(`${site.origin}/elsewhere`);
    expect(Date.now() - startedAt).toBeGreaterThan(900);
    await calm.fetcher.close();
  });

  it('send a GET again when the kept connection had died meanwhile', async () => {
    const url = at('/kept', (_request, response) => sendPage(response, 'kept'));
    const fresh = await createTestFetcher(site.host);
    await fresh.fetch(url);
    let isFirst = true;
    at('/hangs-up', ({ headers }, response) => {
      if (isFirst) {
        isFirst = false;
        response.socket?.destroy();
      } else sendPage(response, headers.host ?? '');
    });
    const page = await fresh.fetch(`${site.origin}/hangs-up`);
    expect(page.attempts).toBe(1);
    await fresh.fetcher.close();
  });
});

describe('requests', () => {
  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Proxy-Authorization'])(
    'may not set %s',
    async (name) => {
      await expect(client.fetch(`${site.origin}/`, { headers: { [name]: 'x' } })).rejects.toMatchObject({
        code: 'invalid_request',
        options: { field: `scrape_config.headers.${name}` },
      });
    },
  );

  it('name the setting when a tier has no proxies', async () => {
    for (const tier of ['highquality', 'premium', 'hardcore', 'premium:de']) {
      await expect(client.fetch(`${site.origin}/`, { proxy: tier })).rejects.toMatchObject({
        code: 'temporarily_unavailable',
        options: {
          field: 'proxy',
          detail: expect.stringContaining(`GLEANER_PROXY_${tier.split(':')[0]?.toUpperCase()}`),
        },
      });
    }
  });

  it('read robots.txt when asked to', async () => {
    at('/robots.txt', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /private\n');
    });
    await expect(client.fetch(`${site.origin}/public`, { respectRobots: true })).resolves.toBeDefined();
    await expect(client.fetch(`${site.origin}/private/x`)).resolves.toBeDefined();
    await expect(client.fetch(`${site.origin}/private/x`, { respectRobots: true })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringContaining('robots.txt') },
    });
    answers.delete('/robots.txt');
  });

  it('come back raw for webhooks and site plans, whatever the status and type', async () => {
    const url = at('/hook', (_request, response) => {
      response.writeHead(410, { 'content-type': 'application/octet-stream', 'x-seen': '1' }).end('gone');
    });
    const answer = await client.fetcher.fetchRaw({
      url,
      method: 'POST',
      body: '{}',
      headers: { 'webhook-id': 'msg_1' },
      deadlineAt: Date.now() + 5_000,
      followRedirects: false,
    });
    expect(answer).toMatchObject({ status: 410, headers: { 'x-seen': '1' } });
    expect(text(answer.body)).toBe('gone');
    expect(lastAt(site, '/hook')).toMatchObject({ method: 'POST', body: '{}' });
  });

  it('name what failed without an inner address or message', async () => {
    const dead = await startTestSite(() => undefined);
    await dead.close();
    const reach = await createTestFetcher(dead.host);
    const error = (await reach.fetch(`${dead.origin}/`).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toBe('fetch failed: the target refused the connection');
    await reach.fetcher.close();
  });
});
