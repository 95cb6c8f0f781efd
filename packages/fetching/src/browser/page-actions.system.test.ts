import type { BrowserAction, ScrapeConfig } from '@gleaner/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FetchedPage } from '../fetch-types.ts';
import { browserPids } from '../testing/browser-pids.ts';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let inner: TestSite;
let client: TestFetcher;

const FORM = `<form action="/found"><input name="q" value="old">
<select name="size"><option value="s">Small<option value="l">Large</select><button>Go</button></form>
<button id="more" onclick="setTimeout(() => list.insertAdjacentHTML('beforeend', '<li>late'), 200)">more</button>
<button id="report" onclick="fetch('/clicked')">report</button>
<button id="off" disabled>off</button><ul id="list"><li>first</ul>
<a id="away" href="INNER/secret">away</a><a id="popup" href="/found?popup" target="_blank">popup</a>
<div style="height:5000px"></div><p id="bottom"></p>
<script>addEventListener('scroll', () => { document.title = 'scrolled' }, { once: true });
addEventListener('keydown', (event) => { document.body.dataset.key = event.key });</script>`;

const LOADING = `<p>shell</p><script>
const load = (path) => fetch(path).then((r) => r.text()).then((t) => document.body.insertAdjacentText('beforeend', t));
addEventListener('load', () => setTimeout(async () => {
  await load('/api/items?page=1'); await load('/api/items?page=2'); await load('/api/broken'); await load('/api/other');
}, 300));
</script>`;

/** Lists that grow by a click or by scrolling, ten rows in all. */
const GROWING = `<!doctype html><ul id="rows"></ul>SIGN<script>
const list = document.querySelector('#rows'); let at = 0;
const grow = async () => {
  const html = await (await fetch('/rows?from=' + at)).text();
  list.insertAdjacentHTML('beforeend', html); at = list.children.length;
  if (at >= 10) document.querySelector('#more')?.LEAVE;
};
addEventListener('load', grow);
</script>`;

const MORE = '<button id="more" onclick="grow()">more</button>';

const GROWERS: Record<string, string> = {
  removed: GROWING.replace('SIGN', MORE).replace('LEAVE', 'remove()'),
  hidden: GROWING.replace('SIGN', MORE).replace('LEAVE', `style.setProperty('display', 'none')`),
  disabled: GROWING.replace('SIGN', MORE).replace('LEAVE', `setAttribute('disabled', '')`),
  emptied: GROWING.replace('SIGN', `<div id="box">${MORE}</div>`).replace(
    'LEAVE',
    'parentElement.replaceChildren()',
  ),
  scrolled: GROWING.replace('SIGN', '<style>li { height: 900px }</style>')
    .replace('LEAVE', 'remove()')
    .replace(
      '</script>',
      `addEventListener('scroll', () => setTimeout(() => at < 10 && grow(), 100));</script>`,
    ),
  watched: GROWING.replace('SIGN', '<style>li { height: 900px }</style><p id="end">end</p>')
    .replace('LEAVE', 'remove()')
    .replace(
      '</script>',
      `new IntersectionObserver(([e]) => { if (e.isIntersecting && at < 10) grow() }).observe(document.querySelector('#end'));</script>`,
    ),
};

/** A page that says when everything that it fetches has been answered. */
function pageOfFetches(fetches: string): string {
  return `<p>x</p><script>Promise.all(${fetches}).then(() => { document.body.id = 'answered' })</script>`;
}

beforeAll(async () => {
  inner = await startTestSite((_request, response) => sendPage(response, '<p>inner</p>'));
  site = await startTestSite(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://site');
    const grower = GROWERS[pathname.slice(1)];
    if (grower !== undefined) sendPage(response, grower);
    else if (pathname === '/rows') {
      const from = Number(searchParams.get('from'));
      sendPage(response, `<li>row ${from + 1}</li><li>row ${from + 2}</li>`);
    } else if (pathname === '/pages') {
      const n = Number(searchParams.get('n'));
      sendPage(
        response,
        `<h1>page ${n}</h1>${n < 4 ? `<a id="more" href="/pages?n=${n + 1}">next</a>` : ''}`,
      );
    } else if (pathname === '/form') sendPage(response, FORM.replace('INNER', inner.origin));
    else if (pathname === '/loading') sendPage(response, LOADING);
    else if (pathname === '/api/items') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ page: Number(searchParams.get('page')), items: ['ä'] }));
    } else if (pathname === '/api/broken') response.writeHead(500).end('{"items":[]}');
    else if (pathname === '/api/huge') response.writeHead(200).end('1'.repeat(5_000_000));
    else if (pathname === '/huge') {
      sendPage(response, pageOfFetches(`[fetch('/api/huge'), fetch('/api/items?page=3')]`));
    } else if (pathname === '/many') {
      sendPage(
        response,
        pageOfFetches(`Array.from({ length: 150 }, (_, i) => fetch('/api/items?page=' + i))`),
      );
    } else sendPage(response, `<h1>${url.replaceAll('<', '')}</h1>`);
  });
  client = await createTestFetcher(site.host);
});

afterEach(async () => {
  await expect.poll(() => client.fetcher.stats().browser.pages).toBe(0);
});

afterAll(() => Promise.all([client.fetcher.close(), site.close(), inner.close()]));

async function act(actions: BrowserAction[], path = '/form'): Promise<string> {
  const page = await client.fetch(site.origin + path, { useBrowser: true, actions });
  return Buffer.from(page.body).toString();
}

describe('actions in the browser', () => {
  it('fill in a form, send it, and read the page that it leads to', async () => {
    const html = await act([
      { type: { into: '[name=q]', text: 'new wörd' } },
      { select: { in: 'select', value: 'Large' } },
      { click: 'form button' },
    ]);
    expect(html).toContain('<h1>/found?q=new+w%C3%B6rd&amp;size=l</h1>');
  });

  it('press keys, scroll, and wait for what comes of a click', async () => {
    const html = await act([
      { click: '[name=q]' },
      { press: 'ArrowDown' },
      { scroll: 'end' },
      { wait: 0.1 },
      { scroll: '#list' },
      { click: '#more' },
      { wait: '#list li + li' },
    ]);
    expect(html).toContain('data-key="ArrowDown"');
    expect(html).toContain('<title>scrolled</title>');
    expect(html).toMatch(/<li>first\s*<\/li><li>late/);
    expect(await act([{ click: '[name=q]' }, { press: 'Enter' }])).toContain(
      '<h1>/found?q=old&amp;size=s</h1>',
    );
  });

  it.each(['removed', 'hidden', 'disabled', 'emptied'])('click until there is no more: %s', async (name) => {
    const html = await act([{ click: '#more', until: 'gone' }], `/${name}`);
    expect(html.match(/<li>row \d+/g)).toHaveLength(10);
  });

  it.each(['scrolled', 'watched'])('scroll until nothing is added: %s', async (name) => {
    const html = await act([{ scroll: 'end', until: 'stable' }], `/${name}`);
    expect(html.match(/<li>row \d+/g)?.length).toBeGreaterThanOrEqual(10);
  });

  it('click until there is no more through pages, and where there never was any', async () => {
    expect(await act([{ click: '#more', until: 'gone' }], '/pages?n=1')).toContain('<h1>page 4</h1>');
    expect(await act([{ click: '#none', until: 'gone' }], '/pages?n=2')).toContain('<h1>page 2</h1>');
  });

  it('say which of them failed and why', async () => {
    const failing = (...actions: BrowserAction[]): Promise<FetchedPage> =>
      client.fetch(`${site.origin}/form`, { useBrowser: true, timeoutSeconds: 20, actions });
    await Promise.all([
      expect(failing({ wait: 0 }, { click: '.none' })).rejects.toMatchObject({
        code: 'fetch_timed_out',
        options: { field: 'scrape_config.actions[1].click', detail: 'nothing matched .none' },
      }),
      expect(failing({ click: '#off' })).rejects.toMatchObject({
        options: { detail: "#off can't be used: it is hidden, covered or disabled" },
      }),
      expect(failing({ type: { into: '#list', text: 'x' } })).rejects.toMatchObject({
        code: 'fetch_failed',
        options: { field: 'scrape_config.actions[0].type', retryable: false },
      }),
    ]);
  });

  it.runIf(process.platform === 'linux')(
    'say so when their page does not close',
    { meta: { missing: '/proc' } },
    async () => {
      await client.fetch(`${site.origin}/`, { useBrowser: true });
      const actions = [{ click: '#report' }, { wait: '.none' }];
      const ended = client
        .fetch(`${site.origin}/form`, { useBrowser: true, timeoutSeconds: 7, actions })
        .catch((error: unknown) => error);
      await expect.poll(() => site.requests.some(({ url }) => url === '/clicked')).toBe(true);
      const stopped = await browserPids();
      for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      const failure = await ended;
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
      expect(failure).toMatchObject({
        code: 'fetch_timed_out',
        options: { field: expect.stringMatching(/^scrape_config\.actions\[/) },
      });
    },
  );

  it('end at the time limit', async () => {
    const actions = Array.from({ length: 20 }, () => ({ wait: 1 }));
    await expect(
      client.fetch(`${site.origin}/form`, { useBrowser: true, timeoutSeconds: 3, actions }),
    ).rejects.toMatchObject({ code: 'fetch_timed_out' });
  });

  it('reach no address that the guard refuses, and open no second page', async () => {
    await expect(act([{ click: '#away' }])).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(inner.requests).toHaveLength(0);
    expect(await act([{ click: '#popup' }, { wait: 0.2 }])).toContain('id="popup"');
  });
});

describe('captured responses', () => {
  const captured = async (path: string, capture: string[], config: ScrapeConfig = {}): Promise<string[]> => {
    const page = await client.fetch(site.origin + path, { useBrowser: true, ...config }, { capture });
    return (page.captures ?? []).map(({ url, json }) => `${url.replace(site.origin, '')} ${json}`);
  };

  it('are those that the page loads after it has loaded, in their order, by their address', async () => {
    expect(await captured('/loading', ['/api/items?*', '*/api/other'])).toEqual([
      '/api/items?page=1 {"page":1,"items":["ä"]}',
      '/api/items?page=2 {"page":2,"items":["ä"]}',
      '/api/other <h1>/api/other</h1>',
    ]);
  });

  it('are all of them for a pattern of any address, which waits for none', async () => {
    const config = { waitForBrowser: '#answered' };
    expect(await captured('/huge', ['*'], config)).toEqual(['/api/items?page=3 {"page":3,"items":["ä"]}']);
    expect(await captured('/', ['*'])).toEqual([]);
  });

  it('leave out error statuses and bodies that are too large, and are bounded in number', async () => {
    const config = { waitForBrowser: '#answered' };
    expect(await captured('/huge', ['/api/*'], config)).toEqual([
      '/api/items?page=3 {"page":3,"items":["ä"]}',
    ]);
    // A busy machine may read the last body too late for the first page.
    await expect.poll(async () => (await captured('/many', ['/api/*'], config)).length).toBe(100);
  });

  it('are not kept unless asked for', async () => {
    expect((await client.fetch(`${site.origin}/loading`, { useBrowser: true })).captures).toBeUndefined();
  });
});
