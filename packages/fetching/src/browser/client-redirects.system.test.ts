import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let closed: TestSite;
let client: TestFetcher;

function refresh(content: string, text = 'left'): string {
  return `<html><head><meta http-equiv="Refresh" content="${content}"></head><body><p>${text}</p></body></html>`;
}

/** A script that navigates to the link of the query, at once or after a while. */
function asks(query: URLSearchParams, delayMs?: number): string {
  const go = `location.href = ${JSON.stringify(query.get('for'))};`;
  return `<script>${delayMs === undefined ? go : `setTimeout(() => { ${go} }, ${delayMs})`}</script>`;
}

beforeAll(async () => {
  closed = await startTestSite((_request, response) => sendPage(response, '<p>secret</p>'));
  site = await startTestSite(({ url }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'http://site');
    if (pathname === '/now') sendPage(response, refresh('0;url=/target'));
    else if (pathname === '/soon') sendPage(response, refresh('1;url=/target'));
    else if (pathname === '/later') sendPage(response, refresh('6;url=/target'));
    else if (pathname === '/late') sendPage(response, refresh('60; url=/target'));
    else if (pathname === '/header') sendPage(response, '<p>left</p>', { refresh: '0; url=/target' });
    else if (pathname === '/chain') sendPage(response, refresh('0;url=/script'));
    else if (pathname === '/script')
      sendPage(response, '<p>left</p><script>location.replace("/moved")</script>');
    else if (pathname === '/moved') response.writeHead(302, { location: '/now' }).end();
    else if (pathname === '/loop') sendPage(response, refresh('0'));
    else if (pathname === '/fragment') sendPage(response, refresh('0;url=#there', 'stayed'));
    else if (pathname === '/nowhere') sendPage(response, refresh('0;url=/nothing', 'stayed'));
    else if (pathname === '/nothing') response.writeHead(204).end();
    else if (pathname === '/asks') sendPage(response, `<p>stayed</p>${asks(query)}<b>end</b>`);
    else if (pathname === '/asks-last') {
      sendPage(response, `<p>stayed</p><noscript><i>no script</i></noscript>${asks(query)}</body></html>`);
    } else if (pathname === '/asks-later') sendPage(response, `<p>stayed</p>${asks(query, 200)}<b>end</b>`);
    else if (pathname === '/file')
      response
        .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
        .end('PK');
    else if (pathname === '/inside') sendPage(response, refresh(`0;url=${closed.origin}/`));
    else if (pathname === '/gone') sendPage(response, refresh('0;url=/missing'));
    else if (pathname === '/missing') response.writeHead(404, { 'content-type': 'text/html' }).end('none');
    else sendPage(response, '<p>target</p>');
  });
  client = await createTestFetcher(site.host);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
  await closed.close();
});

const BROWSER = { useBrowser: true, timeoutSeconds: 110 };
function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

describe('a page that goes on to another by itself', () => {
  it.each(['/now', '/soon', '/header', '/chain', '/script'])(
    'is the page it goes on to: %s',
    async (path) => {
      for (let turn = 0; turn < 3; turn += 1) {
        const page = await client.fetch(site.origin + path, BROWSER);
        expect(page).toMatchObject({ status: 200, finalUrl: `${site.origin}/target` });
        expect(text(page.body)).toContain('<p>target</p>');
      }
    },
  );

  it('is the page it goes on to for many at once', async () => {
    const pages = await Promise.all(
      Array.from({ length: 6 }, () => client.fetch(`${site.origin}/now`, BROWSER)),
    );
    expect(new Set(pages.map(({ finalUrl }) => finalUrl))).toEqual(new Set([`${site.origin}/target`]));
  });

  it('is read as it stands when it is to be seen for more than five seconds, unless that is waited for', async () => {
    for (const path of ['/later', '/late']) {
      const page = await client.fetch(site.origin + path, BROWSER);
      expect(page.finalUrl).toBe(site.origin + path);
      expect(text(page.body)).toContain('<p>left</p>');
    }
    const waited = await client.fetch(`${site.origin}/later`, { ...BROWSER, waitSeconds: 8 });
    expect(waited.finalUrl).toBe(`${site.origin}/target`);
    expect(text(waited.body)).toContain('<p>target</p>');
  });

  it.each(['/fragment', '/nowhere'])('is itself when it comes to no other: %s', async (path) => {
    expect(text((await client.fetch(site.origin + path, BROWSER)).body)).toContain('<p>stayed</p>');
  });

  describe.each(['/nothing', '/file', 'mailto:a@b.example', 'someapp://open'])('to no page: %s', (link) => {
    const asking = (path: string): string => `${site.origin}${path}?for=${encodeURIComponent(link)}`;

    it('is itself, and not waited for', async () => {
      for (const waitForBrowser of [undefined, 'p']) {
        const startedAt = Date.now();
        const config = { ...BROWSER, ...(waitForBrowser === undefined ? {} : { waitForBrowser }) };
        const page = await client.fetch(asking('/asks-last'), config);
        expect(page).toMatchObject({ status: 200, contentType: 'text/html; charset=utf-8' });
        expect(text(page.body)).toContain('<p>stayed</p>');
        if (inject('isLong')) expect(Date.now() - startedAt).toBeLessThan(8_000);
      }
      const later = await client.fetch(asking('/asks-later'), { ...BROWSER, waitSeconds: 0.5 });
      expect(later).toMatchObject({ status: 200, finalUrl: asking('/asks-later') });
      expect(text(later.body)).toContain('<b>end</b>');
    });

    it('fails when its rest was lost on the way', async () => {
      await expect(client.fetch(asking('/asks'), BROWSER)).rejects.toMatchObject({
        code: 'fetch_failed',
        retryable: false,
        options: {
          detail: "the page's script navigated to something that is not a page before this page was complete",
        },
      });
    });
  });

  it('ends with a clear error when it goes on for ever', async () => {
    await expect(client.fetch(`${site.origin}/loop`, BROWSER)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: 'more than 10 redirects' },
    });
  });

  it('has the status of the page it goes on to', async () => {
    await expect(client.fetch(`${site.origin}/gone`, BROWSER)).rejects.toMatchObject({
      options: { detail: 'the target answered with status 404' },
    });
  });

  it('leads to no place that the guard keeps closed', async () => {
    await expect(client.fetch(`${site.origin}/inside`, BROWSER)).rejects.toMatchObject({
      code: 'fetch_failed',
      options: { detail: 'target not allowed' },
    });
    expect(closed.requests).toEqual([]);
  });

  it('may be waited for by a selector of the page it goes on to', async () => {
    const page = await client.fetch(`${site.origin}/soon`, { ...BROWSER, waitForBrowser: 'p:only-child' });
    expect(page.status).toBe(200);
  });
});
