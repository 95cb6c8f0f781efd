import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let client: TestFetcher;

function withScript(script: string, html = '<p>shell</p>'): string {
  return `<!doctype html>${html}<script>${script}</script>`;
}

const ADD = `const add = (text) => document.body.insertAdjacentHTML('beforeend', '<b>' + text + '</b>');`;
const GET = `const get = (path) => fetch(path).then((answer) => answer.text());`;

/** Pages that fill themselves after their load event, each with the text FILLED. */
const FILLED: Record<string, string> = {
  timer: withScript(`${ADD} addEventListener('load', () => setTimeout(() => add('FILLED'), 300));`),
  steps: withScript(
    `${ADD} let n = 0; const step = () => { n += 1; add(n < 4 ? n : 'FILLED'); if (n < 4) setTimeout(step, 300); }; addEventListener('load', () => setTimeout(step, 200));`,
  ),
  requests: withScript(
    `${ADD} ${GET} addEventListener('load', () => get('/slow?1').then(() => get('/slow?2')).then(() => get('/slow?3')).then(() => add('FILLED')));`,
  ),
  xhr: withScript(
    `${ADD} addEventListener('load', () => { const x = new XMLHttpRequest(); x.open('GET', '/slow?x'); x.onload = () => add('FILLED'); x.send(); });`,
  ),
  module: withScript(
    `${ADD} addEventListener('load', () => { const s = document.createElement('script'); s.src = '/slow.js'; document.head.append(s); });`,
  ),
  root: withScript(
    `const root = document.querySelector('x-a').attachShadow({ mode: 'open' }); addEventListener('load', () => setTimeout(() => { root.innerHTML = '<i>FILLED</i>' }, 300));`,
    '<x-a></x-a>',
  ),
  frame: withScript(
    `addEventListener('load', () => setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<iframe src="/slow-frame"></iframe>') }, 200));`,
  ),
  handler:
    '<!doctype html><body onload="setTimeout(() => { document.body.textContent = \'FILLED\' }, 300)">shell',
};

/** Pages that never rest, though what they have to say is there. */
const RESTLESS: Record<string, string> = {
  polling: withScript(`setInterval(() => fetch('/poll?t=' + Date.now()), 50);`),
  clock: withScript(
    `const p = document.querySelector('p'); setInterval(() => { p.textContent = 'shell ' + Date.now() }, 20);`,
  ),
  events: withScript(`new EventSource('/stream'); fetch('/stream');`),
  picture: withScript(`setInterval(() => { new Image().src = '/pixel?' + Math.random() }, 50);`),
  beacon: withScript(`setInterval(() => navigator.sendBeacon('/poll', 'x'), 50);`),
};

beforeAll(async () => {
  site = await startTestSite(({ url }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const name = pathname.slice(1);
    if (pathname === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    } else if (name.startsWith('slow')) {
      void sleep(600).then(() => {
        if (name === 'slow.js')
          response.writeHead(200, { 'content-type': 'text/javascript' }).end(`add('FILLED')`);
        else sendPage(response, name === 'slow-frame' ? '<p>FILLED</p>' : 'answer');
      });
    } else sendPage(response, FILLED[name] ?? RESTLESS[name] ?? '<p>answer</p>');
  });
  client = await createTestFetcher(site.host);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
});

async function read(path: string, config = {}): Promise<string> {
  const page = await client.fetch(`${site.origin}/${path}`, { useBrowser: true, ...config });
  return Buffer.from(page.body)
    .toString()
    .replaceAll(/<script[^]*?<\/script>/g, '');
}

describe('a page in a browser', () => {
  it.each(Object.keys(FILLED))('is read when it has filled itself: %s', async (name) => {
    expect(await read(name)).toMatch(/>FILLED</);
  });

  it.each(Object.keys(RESTLESS))('is read although it never rests: %s', async (name) => {
    const startedAt = Date.now();
    expect(await read(name)).toContain('shell');
    if (inject('isLong')) expect(Date.now() - startedAt).toBeLessThan(5_000);
  });

  it('is not waited for where its configuration says what to wait for', async () => {
    expect(await read('requests', { waitForBrowser: 'p' })).not.toContain('FILLED');
    expect(await read('requests', { actions: [{ wait: 'p' }] })).not.toContain('FILLED');
  });
});
