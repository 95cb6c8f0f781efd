import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { callApi, OPERATOR_PASSWORD, type Client } from '../system/start-system.ts';
import { startDashboard, type Dashboard } from './start-dashboard.ts';
import { clickInPage, openHtml } from './studio-actions.ts';

let dashboard: Dashboard;
let site: Site;
/** Counts what reaches it: nothing of a page in the studio may. */
let outside: Server;
let reached: string[];

beforeAll(async () => {
  reached = [];
  outside = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end('reached');
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  [dashboard, site] = await Promise.all([startDashboard(), startSite()]);
});
afterAll(async () => {
  await dashboard.close();
  await site.close();
  outside.close();
});

function addressOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

it('leads from the sign-in link to the data of a page within 6 clicks', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client });
  const started = Date.now();
  await page.getByRole('button', { name: /^A shop/ }).click();
  // The account has nothing yet, so it begins where a page is tried.
  await page.getByRole('button', { name: 'Choose values in the page' }).click();
  await clickInPage(page, '.product .name');
  await page.getByRole('button', { name: /Make a list of 9/ }).click();
  await page.getByRole('button', { name: 'Travel mug', exact: true }).waitFor();
  if (inject('isLong')) expect(Date.now() - started).toBeLessThan(60_000);
  await clickInPage(page, '.product .price', 1);
  await page.getByRole('button', { name: '24', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.waitForURL(/\/parsers\/prs_/);
  const id = /prs_\w+/.exec(page.url())?.[0] ?? '';
  const { json } = await client.call('GET', `/v1/parsers/${id}`);
  expect((json as { schema: unknown }).schema).toEqual({
    fields: {
      products: {
        css: '.product',
        take: 'all',
        fields: { name: '.name a', price: { css: '.price', type: 'number' } },
      },
    },
  });
});

it('creates a list from two similar clicks, and explains empty values', async () => {
  const page = await dashboard.open({
    client: await dashboard.system.client(),
    path: '/parsers/new?example=shop',
  });
  await clickInPage(page, '.product .stock', 0);
  await clickInPage(page, '.product .stock', 4);
  await page.getByRole('button', { name: 'sold out' }).first().waitFor();
  await clickInPage(page, '.product .price', 1);
  await page.getByRole('button', { name: '— why?' }).first().click();
  const reason = page.getByText(/\.price matched nothing/);
  await reason.waitFor();
  expect(await reason.count()).toBeGreaterThan(0);
});

it('keeps the form, the JSON and the result in step', async () => {
  const page = await dashboard.open({
    client: await dashboard.system.client(),
    path: '/parsers/new?example=article&fields=json',
  });
  const editor = page.getByRole('textbox', { name: 'Schema as JSON' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(
    '{"fields": {"headline": "h1", "words": {"jsonld": "$[0].wordCount", "type": "integer"}}}',
  );
  await page.getByRole('button', { name: '164', exact: true }).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"fields": {"who": "[rel=author]"}}');
  await page.getByRole('button', { name: 'Ada Field', exact: true }).waitFor();
  await page.getByText('Form', { exact: true }).click();
  await page.getByRole('button', { name: /^who/ }).waitFor();
  expect(await page.getByRole('button', { name: /^headline/ }).count()).toBe(0);
});

it('shows a hostile page without running scripts, loading resources or navigating', async () => {
  const there = addressOf(outside);
  const page = await dashboard.open({ client: await dashboard.system.client() });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await openHtml(
    page,
    dashboard.system.baseUrl,
    `<html onload="parent.document.title='owned'"><head>
      <meta http-equiv="refresh" content="0; url=${there}/refresh"><base href="${there}/">
      <link rel="stylesheet" href="${there}/style.css"><link rel="preload" as="image" href="${there}/preload">
      <style>@import "${there}/import.css"; body { background: url(${there}/background.png) } :root { --ground: red !important }</style>
      <script>parent.document.title = 'owned'; fetch('${there}/script')</script></head>
    <body><h1 style="background:url('${there}/inline.png')" onclick="top.location='${there}/click'">Safe heading</h1>
      <img src="${there}/image.png" srcset="${there}/srcset.png 2x" onerror="parent.document.title='owned'">
      <img src="/v1/credits" alt="own origin"><iframe src="${there}/frame"></iframe>
      <iframe srcdoc="<script>parent.parent.document.title='owned'</script>"></iframe>
      <video src="${there}/video.mp4" poster="${there}/poster.png" autoplay></video>
      <object data="${there}/object"></object><embed src="${there}/embed">
      <svg onload="parent.document.title='owned'"><use href="${there}/use.svg#a"/><image href="${there}/svg.png"/>
        <animate attributeName="href" values="javascript:alert(1)"/><script>parent.document.title='owned'</script></svg>
      <form action="${there}/form"><button formaction="javascript:parent.document.title='owned'">Press</button></form>
      <a href="javascript:parent.document.title='owned'">Click</a><a href="${there}/ping" ping="${there}/pinged" target="_top">Leave</a>
      <details open ontoggle="parent.document.title='owned'"><summary>More</summary></details>
      <math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=parent.document.title='owned'>">`,
  );
  await clickInPage(page, 'h1');
  await page.getByRole('region', { name: 'Values' }).getByText('Safe heading').waitFor();
  for (const selector of ['a', 'button']) await clickInPage(page, selector);
  await page.getByText('Page data').click();
  await page.waitForLoadState('networkidle');
  expect(reached).toEqual([]);
  expect(await page.title()).not.toBe('owned');
  expect(page.url()).toMatch(/\/parsers\/new/);
  expect(requests.filter((url) => url.startsWith(there))).toEqual([]);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  const inside = await frame
    ?.locator('script, iframe, object, embed, link, base, meta[http-equiv=refresh]')
    .count();
  expect(inside).toBe(0);
});

it('writes a batch to a table named after its parser, without a further entry', async () => {
  const client = await dashboard.system.client();
  const { json } = await client.call('POST', '/v1/parsers', {
    name: 'Kettle prices',
    schema: { fields: { title: 'h1', price: { css: '.price', type: 'number' } } },
  });
  const path = `/runs/new?parser=${(json as { id: string }).id}`;
  const page = await dashboard.open({ client, path });
  const goTo = page.getByRole('combobox', { name: 'Results go to' });
  await expect.poll(() => goTo.inputValue()).toBe('a new database, “results”');
  await page.getByRole('textbox', { name: /^Addresses/ }).fill(`${site.url}/product`);
  const release = site.hold('/product');
  onTestFinished(release);
  await page.getByRole('button', { name: 'Run for at most 1 credit' }).click();
  await page.waitForURL(/\/runs\/batches\/bat_/);
  // The run ends right after its rows were read, and shows its last ones all the same.
  await page.getByText('The first rows appear here.').waitFor();
  await page.waitForResponse((answer) => answer.url().includes('/rows?'));
  release();
  await page.getByRole('cell', { name: 'Blue kettle' }).first().waitFor();
  const { batches } = (await client.call('GET', '/v1/batches')).json as { batches: { sink: object }[] };
  expect(batches).toMatchObject([{ sink: { table: 'kettle_prices', on_drift: 'quarantine' } }]);
  // The next one goes to the same database.
  await page.goto(`${dashboard.system.baseUrl}${path}`);
  await expect.poll(() => goTo.inputValue()).toBe('database results');
});

it('runs pasted addresses as a batch and saves its CSV', async () => {
  const client = await dashboard.system.client();
  const { json } = await client.call('POST', '/v1/parsers', {
    name: 'kettles',
    schema: { fields: { title: 'h1', price: { css: '.price', type: 'number' } } },
  });
  const page = await dashboard.open({ client, path: `/runs/new?parser=${(json as { id: string }).id}` });
  const urls = Array.from({ length: 20 }, (_, index) => `${site.url}/product?n=${index}`);
  await page.getByRole('textbox', { name: /^Addresses/ }).fill([...urls, 'not an address'].join('\n'));
  await page.getByText('20 addresses').waitFor();
  await page.getByText('1 refused').first().waitFor();
  await page.getByRole('textbox', { name: /^Addresses/ }).fill(urls.join('\n'));
  await page.getByRole('combobox', { name: 'Results go to' }).click();
  await page.getByRole('option', { name: 'this batch, for 24 hours' }).click();
  await page.getByRole('button', { name: 'Run for at most 20 credits' }).click();
  await page.waitForURL(/\/runs\/batches\/bat_/);
  await page.getByText('20 of 20').waitFor();
  await page.getByRole('cell', { name: 'Blue kettle' }).first().waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /CSV/ }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(lines).toHaveLength(21);
  expect(lines[1]).toContain('Blue kettle');
});

it('ends the session at sign-out, and with its key', async () => {
  const client = await dashboard.system.client();
  const link = await dashboard.signInUrl(client);
  const page = await dashboard.open();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Try a page' }).waitFor();
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name.startsWith('gleaner_session'))).toMatchObject({
    httpOnly: true,
    sameSite: 'Strict',
  });
  // A link works once.
  const other = await dashboard.open();
  await other.goto(link);
  await other.getByText(/sign-in link was already used/).waitFor();

  await page.getByRole('button', { name: /credits$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Gleaner', exact: true }).waitFor();
  await page.goto(`${dashboard.system.baseUrl}/runs`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'API key', exact: true }).fill(client.apiKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // Back where the person wanted to go.
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
});

it('accepts a session only from pages of its own origin', async () => {
  const { baseUrl } = dashboard.system;
  const client = await dashboard.system.client();
  const own = { 'x-gleaner-dashboard': '1' };
  const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    callApi(baseUrl, undefined, { method, path, ...(body === undefined ? {} : { body }), init: { headers } });
  const elsewhere = await ask('POST', '/session', {}, { api_key: client.apiKey });
  expect(elsewhere.status).toBe(401);
  const entered = await ask('POST', '/session', own, { api_key: client.apiKey });
  expect(entered.status).toBe(204);
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await ask('GET', '/v1/credits', { cookie, ...headers })).status;
  expect(await statusOf(own)).toBe(200);
  expect(await statusOf({})).toBe(401);
  expect(await statusOf({ ...own, 'sec-fetch-site': 'cross-site' })).toBe(401);
  expect(await statusOf({ ...own, 'sec-fetch-site': 'same-site' })).toBe(401);
  expect(await statusOf({ ...own, origin: 'https://elsewhere.example' })).toBe(401);
  // Only a file may be saved by a link, and only by one of this origin.
  const link = {
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  // node:http, because fetch sets these headers itself.
  const follow = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(`${baseUrl}${path}`, { headers: { cookie, ...link } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).once('error', reject);
    });
  expect(await follow('/v1/batches/bat_x/export')).toBe(404);
  expect(await follow('/v1/credits')).toBe(401);
  expect((await ask('GET', '/v1/batches/bat_x/export', { cookie })).status).toBe(401);

  await dashboard.system.db
    .sql`UPDATE gleaner.api_keys SET revoked_at = now() WHERE account_id = ${client.accountId}`;
  expect(await statusOf(own)).toBe(401);
});

it('opens the queues to an operator session, and closes them with it', async () => {
  const { baseUrl } = dashboard.system;
  const own = { 'x-gleaner-dashboard': '1' };
  const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    callApi(baseUrl, undefined, { method, path, ...(body === undefined ? {} : { body }), init: { headers } });
  expect((await ask('POST', '/session/operator', own, { password: 'a guess' })).status).toBe(401);
  const entered = await ask('POST', '/session/operator', own, { password: OPERATOR_PASSWORD });
  expect(entered.status).toBe(204);
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  expect((await ask('GET', '/admin/queues/', { cookie })).status).toBe(200);
  expect((await ask('GET', '/v1/credits', { cookie, ...own })).status).toBe(401);
  expect((await ask('DELETE', '/session/operator', { cookie, ...own })).status).toBe(204);
  expect((await ask('GET', '/admin/queues/', { cookie })).status).toBe(401);
});

it('serves its files for a year, its page for no time, and 404 in JSON for the API', async () => {
  const { baseUrl } = dashboard.system;
  const browser = { accept: 'text/html,application/xhtml+xml' };
  const page = await fetch(`${baseUrl}/runs/batches/bat_1`, { headers: browser });
  const text = await page.text();
  expect(page.status).toBe(200);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
  const script = /src="(\/assets\/start-[^"]+\.js)"/.exec(text)?.[1] ?? '';
  const file = await fetch(`${baseUrl}${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(file.headers.get('cache-control')).toContain('immutable');
  expect(file.headers.get('content-encoding')).toBe('br');
  const missing = await fetch(`${baseUrl}/v1/nothing`, { headers: browser });
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ error: 'not found' });
  expect((await fetch(`${baseUrl}/assets/gone.js`, { headers: browser })).status).toBe(404);
});

/** Bytes of JavaScript that a page of an empty browser transfers; the studio's engine, a thread of its own, is not part of it. */
async function scriptBytes(path: string, client?: Client): Promise<number> {
  const page = await dashboard.open({ isFresh: true, path: '/healthz', ...(client && { client }) });
  const sizes: Promise<{ responseBodySize: number }>[] = [];
  page.on('response', (response) => {
    const request = response.request();
    if (request.resourceType() === 'script' && !request.url().includes('.worker-'))
      sizes.push(request.sizes());
  });
  await page.goto(`${dashboard.system.baseUrl}${path}`, { waitUntil: 'networkidle' });
  const all = await Promise.all(sizes);
  await page.close();
  return all.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
}

it('loads at most 130 KB of JavaScript to sign in, and 260 KB for any page without a graph', async () => {
  const signIn = await scriptBytes('/sign-in');
  expect(signIn).toBeGreaterThan(50_000);
  expect(signIn).toBeLessThanOrEqual(130 * 1024);
  const client = await dashboard.system.client();
  const sizes = new Map<string, number>();
  for (const path of ['/parsers/new?example=shop', '/runs/new', '/crons/new', '/operator', '/keys'])
    sizes.set(path, await scriptBytes(path, client));
  expect([...sizes].filter(([, bytes]) => bytes > 260 * 1024)).toEqual([]);
});

it('lets a signed-in reader of the reference send its example', async () => {
  const client = await dashboard.system.client();
  const page = await dashboard.open({ client });
  await page.goto(`${dashboard.system.baseUrl}/docs#tag/parsers/POST/v1/parsers`);
  await page.getByRole('button', { name: 'Test Request (post /v1/parsers)' }).first().click();
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: /^send/i }).first().click();
  const answer = await answered;
  expect(answer.status()).toBe(201);
  expect(await answer.json()).toMatchObject({ name: 'products', version: 1 });
});

it('opens records by their slugs', async () => {
  const client = await dashboard.system.client();
  const create = async (path: string, body: object): Promise<string> => {
    const { json, text } = await client.call('POST', path, { slug: 'products', ...body });
    const { id } = json as { id?: string };
    if (id === undefined) throw new Error(text);
    return id;
  };
  const parserId = await create('/v1/parsers', { name: 'p', schema: { fields: { title: 'h1' } } });
  const target = { type: 'parser', parserId: 'products' };
  const database = await create('/v1/databases', { name: 'd', kind: 'managed' });
  const workflow = await create('/v1/workflows', { name: 'w', stages: [{ name: 'pages', target }] });
  const cron = await create('/v1/crons', {
    name: 'c',
    description: '',
    url: `${site.url}/product`,
    schedule: '0 6 * * *',
    target,
    sink: { mode: 'database', database: 'products', table: 't' },
  });
  const page = await dashboard.open({ client, path: '/parsers/products/versions?compare=1' });
  await page.waitForURL(new RegExp(`/parsers/${parserId}/versions`));
  for (const [kind, id] of [
    ['databases', database],
    ['workflows', workflow],
    ['crons', cron],
  ]) {
    await page.goto(`${dashboard.system.baseUrl}/${kind}/products`);
    await page.waitForURL(new RegExp(`/${kind}/${id}$`));
  }
  await page.goto(`${dashboard.system.baseUrl}/crons/absent`);
  const lost = page.getByText('not found').first();
  await lost.waitFor();
  expect(await lost.isVisible()).toBe(true);
});
