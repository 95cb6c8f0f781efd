import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { OPERATOR_PASSWORD, type Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { findFaults, findWide } from './find-faults.ts';
import { makeLifecycleData, type LifecycleData } from './lifecycle-data.ts';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';

/** Every page of the dashboard with data in it: nothing serious found by axe, nothing refused by its own policy. */

/** `GLEANER_SCREENSHOTS=folder`: a picture of each page, in light, dark and narrow. */
const SCREENSHOTS = process.env.GLEANER_SCREENSHOTS;

const SCHEMA = {
  fields: {
    title: { css: 'h1', required: true },
    price: { css: '.price', type: 'number' },
    points: { css: 'li', take: 'all' },
    link: { css: '.more@href', type: 'url' },
  },
};

let dashboard: Dashboard;
let site: Site;
let client: Client;
let places: Record<string, string>;
let lifecycle: LifecycleData;

async function seed(): Promise<Record<string, string>> {
  const post = async (path: string, body: unknown): Promise<string> => {
    const { json, status, text } = await client.call('POST', path, body);
    if (status >= 300) throw new Error(`${path}: ${text}`);
    return (json as { id: string }).id;
  };
  const parserId = await post('/v1/parsers', { name: 'product', schema: SCHEMA });
  const { title, price } = SCHEMA.fields;
  await client.call('PUT', `/v1/parsers/${parserId}`, {
    schema: { fields: { ...SCHEMA.fields, price: { ...price, css: ['.price', '.cost'] }, name: title } },
  });
  await post('/v1/parsers', {
    name: 'article',
    schema: { fields: { headline: 'h1', author: { meta: 'author' } } },
  });
  const target = { type: 'parser', parserId };
  const urls = Array.from({ length: 24 }, (_, index) => `${site.url}/product?n=${index}`);
  const scrape_config = { retries: 0 };
  const batch = await post('/v1/batches', {
    name: 'demo products',
    target,
    scrape_config,
    urls: [...urls, `${site.url}/missing`, `${site.url}/missing?2`, `${site.url}/picture`],
  });
  const databaseId = await post('/v1/databases', { name: 'shop', kind: 'managed' });
  const sunk = await post('/v1/batches', {
    name: 'into the shop',
    target,
    scrape_config,
    sink: { mode: 'database', database: databaseId, table: 'products' },
    urls: urls.slice(0, 12),
  });
  const job = await post('/v1/jobs', { target, url: `${site.url}/product` });
  const failed = await post('/v1/jobs', { target, url: `${site.url}/missing`, scrape_config });
  const cron = await post('/v1/crons', {
    name: 'Prices every morning',
    description: '',
    schedule: '30 6 * * MON-FRI',
    timezone: 'Europe/Berlin',
    target,
    inputs: urls.slice(0, 2),
    sink: { mode: 'database', database: databaseId, table: 'products' },
  });
  await client.call('POST', `/v1/crons/${cron}/trigger`);
  const workflow = await post('/v1/workflows', {
    name: 'Shop',
    stages: [
      { name: 'list', target },
      { name: 'details', target, from: { stage: 'list', path: '$.link' } },
    ],
  });
  const workflowRun = await post(`/v1/workflows/${workflow}/runs`, { urls: urls.slice(0, 3) });
  const start = [`${site.url}/shop?page=1&pages=2`];
  const map = await post('/v1/crawls/map', { name: 'shop', start, limits: { pages: 20 } });
  const crawl = await post('/v1/crawls', {
    name: 'items of the shop',
    start,
    routes: [{ name: 'items', match: '/item?*', target }],
    limits: { pages: 20 },
  });
  const topic = { type: 'ntfy', url: 'https://ntfy.example/gleaner' };
  await post('/v1/alerts', { name: 'failures', events: ['cron.failed'], to: topic });
  await post('/v1/webhooks', { url: 'https://example.com/hooks/gleaner', events: ['job.finished'] });
  await until('all runs have ended', async () => {
    const runs = [
      `batches/${batch}`,
      `batches/${sunk}`,
      `jobs/${job}`,
      `jobs/${failed}`,
      `crawls/${map}`,
      `crawls/${crawl}`,
    ];
    const answers = await Promise.all(runs.map((run) => client.call('GET', `/v1/${run}`)));
    return answers.every(({ json }) => /succeeded|failed/.test((json as { status: string }).status));
  });
  lifecycle = await makeLifecycleData(client);
  const { broken, degraded } = lifecycle;
  await post(`/v1/parsers/${broken.parser}/samples`, {
    html: '<h1 class="title">Kettle</h1><p class="price">$5</p>',
    url: 'https://shop.example/kettle',
    expected: 'current',
  });
  return {
    health: `/parsers/${broken.parser}/health`,
    samples: `/parsers/${broken.parser}/samples`,
    compared: `/parsers/${parserId}/versions?before=1&after=2`,
    'batch-pages': `/runs/batches/${broken.batch}?tab=pages`,
    'batch-held': `/runs/batches/${degraded.batch}?tab=held`,
    parsers: '/parsers',
    'parser-new': '/parsers/new',
    'parser-without-pages': `/parsers/${parserId}`,
    versions: `/parsers/${parserId}/versions`,
    runs: '/runs',
    'run-new': `/runs/new?parser=${parserId}`,
    batch: `/runs/batches/${batch}`,
    'batch-failures': `/runs/batches/${batch}?tab=failures`,
    job: `/runs/jobs/${job}`,
    'job-failed': `/runs/jobs/${failed}`,
    crawls: '/crawls',
    'crawl-new': '/crawls/new',
    map: `/crawls/${map}`,
    crawl: `/crawls/${crawl}`,
    databases: '/databases',
    database: `/databases/${databaseId}`,
    rows: `/databases/${databaseId}/products?order=title`,
    crons: '/crons',
    'cron-new': `/crons/new?parser=${parserId}`,
    cron: `/crons/${cron}`,
    'cron-edit': `/crons/${cron}/edit`,
    workflows: '/workflows',
    'workflow-new': '/workflows/new',
    workflow: `/workflows/${workflow}`,
    'workflow-edit': `/workflows/${workflow}/edit`,
    'workflow-run': `/workflow-runs/${workflowRun}`,
    apis: '/apis',
    api: '/apis/videosite-video',
    credits: '/credits',
    keys: '/keys',
    alerts: '/alerts',
    webhooks: '/webhooks',
    operator: '/operator',
  };
}

/** Lists of an account that has nothing. */
const EMPTY = [
  'parsers',
  'runs',
  'crawls',
  'databases',
  'crons',
  'workflows',
  'credits',
  'keys',
  'alerts',
  'webhooks',
];

/** Pictures of pages without data, and of pages that can't read theirs. */
async function shootStates(empty: Page, full: Page, view: string): Promise<void> {
  if (SCREENSHOTS === undefined || SCREENSHOTS === '') return;
  for (const name of EMPTY) {
    await empty.goto(`${dashboard.system.baseUrl}/${name}`);
    await settled(empty);
    await shoot(empty, `${name}-empty-${view}`);
  }
  await full.route(/\/v1\//, (route) => route.fulfill({ status: 500, json: { error: 'internal error' } }));
  for (const [name, path] of Object.entries(places)) {
    await full.goto(`${dashboard.system.baseUrl}${path}`);
    await settled(full);
    await shoot(full, `${name}-broken-${view}`);
  }
}

/**
 * Opens another page in the same document, as a link does: loading the dashboard anew takes a browser five times as
 * long. By way of a page without the frame, so that nothing of the former page is taken for the new one.
 */
async function follow(page: Page, path: string): Promise<void> {
  const between = page.getByRole('heading', { name: 'There is no page at this address' });
  await page.evaluate(() => history.pushState({}, '', '/nowhere'));
  await between.waitFor();
  await page.evaluate((to) => history.pushState({}, '', to), path);
  await between.waitFor({ state: 'detached' });
}

/** Nothing is read any more, and what was read is shown. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1, h2').first().waitFor();
  await page.locator('.loading-lines').first().waitFor({ state: 'detached' });
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined || SCREENSHOTS === '') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

beforeAll(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startSite()]);
  client = await dashboard.system.client({ name: 'acme', credits: 50_000 });
  places = await seed();
});
afterAll(async () => {
  await dashboard.close();
  await site.close();
  await lifecycle.shop.close();
});

const VIEWS = [
  { view: 'light', scheme: 'light', width: 1440, height: 900 },
  { view: 'dark', scheme: 'dark', width: 1440, height: 900 },
  { view: 'narrow', scheme: 'light', width: 375, height: 812 },
] as const;

/** The short form looks at the colours of these in dark too: together they have all kinds of parts. */
const DARK = [
  'sign-in',
  'tried',
  'parsers',
  'compared',
  'batch',
  'failed-page',
  'crawl',
  'rows',
  'cron',
  'workflow-run',
  'credits',
  'operator-health',
  'studio',
  'studio-recording',
  'studio-json',
];

/** Without pictures each page is looked at in light. */
const CHECKED = VIEWS.filter(({ view }) => view === 'light' || SCREENSHOTS !== undefined);

it.each(CHECKED)(
  'shows every page without serious faults: $view',
  async ({ view, scheme, width, height }) => {
    const options = { scheme, width, height };
    const faults: string[] = [];
    const check = async (page: Page, name: string): Promise<void> => {
      await settled(page);
      await shoot(page, `${name}-${view}`);
      faults.push(...(await findFaults(page)).map((fault) => `${name}: ${fault}`));
      if (view !== 'light' || !(DARK.includes(name) || inject('isLong'))) return;
      await page.emulateMedia({ colorScheme: 'dark' });
      faults.push(...(await findFaults(page, ['color-contrast'])).map((fault) => `${name}, dark: ${fault}`));
      await page.emulateMedia({ colorScheme: 'light' });
    };
    const signIn = await dashboard.open({ ...options, path: '/sign-in' });
    await check(signIn, 'sign-in');
    const empty = await dashboard.open({ ...options, client: await dashboard.system.client() });
    await check(empty, 'first');
    await empty.getByRole('button', { name: /^A shop/ }).click();
    await empty.getByRole('button', { name: /^Use \d/ }).waitFor();
    await check(empty, 'tried');
    await expect.poll(() => findWide(empty), { message: 'tried' }).toEqual([]);
    await empty.goto(`${dashboard.system.baseUrl}/runs`);
    await check(empty, 'runs-empty');

    const page = await dashboard.open({ ...options, client });
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text()) && !/fonts\.googleapis/.test(message.text()))
        faults.push(`policy: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      // Bull Board links to a font elsewhere, which its policy refuses.
      if (request.frame() !== page.mainFrame()) return;
      if (/^https?:$/.test(protocol) && origin !== dashboard.system.baseUrl)
        faults.push(`left: ${request.url()}`);
    });
    for (const [name, path] of Object.entries(places)) {
      await follow(page, path);
      await check(page, name);
      if (view === 'light') {
        await page.setViewportSize({ width: 375, height: 812 });
        await expect.poll(() => findWide(page), { message: name }).toEqual([]);
        await page.setViewportSize({ width, height });
      }
      if (name === 'rows') {
        await page.getByRole('table', { name: 'Rows' }).getByText('Blue kettle').first().click();
        await page.getByRole('dialog').getByText('The run kept no copy').waitFor();
        await check(page, 'row');
      }
      if (name !== 'batch-failures') continue;
      await page.getByRole('button', { name: /missing$/ }).click();
      await page.getByRole('list', { name: 'Timeline' }).getByText('First byte').waitFor();
      await check(page, 'failed-page');
    }
    await page.goto(`${dashboard.system.baseUrl}/nowhere`);
    await check(page, 'nowhere');
    await page.goto(`${dashboard.system.baseUrl}/operator`);
    await page.getByRole('textbox', { name: 'Operator password' }).fill(OPERATOR_PASSWORD);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('region', { name: 'Queues', exact: true }).waitFor();
    await check(page, 'operator-health');
    await page.goto(`${dashboard.system.baseUrl}/operator?tab=accounts`);
    // Other tests have made many.
    await page.getByRole('textbox', { name: 'Find an account' }).fill(client.accountId);
    await page.getByRole('button', { name: 'acme', exact: true }).waitFor();
    await check(page, 'operator-accounts');
    await page.goto(`${dashboard.system.baseUrl}/operator?tab=queues`);
    await page.frameLocator('iframe[title="Queues"]').getByText('batch-http').first().waitFor();
    await check(page, 'operator-queues');

    await page.goto(`${dashboard.system.baseUrl}/parsers/new?example=shop`);
    await page.getByRole('application').waitFor();
    if (view !== 'narrow') {
      await page.getByRole('button', { name: /^Use \d/ }).waitFor();
      await check(page, 'studio-suggested');
    }
    const price = page.frameLocator('iframe[title^="The page"]').locator('.price').first();
    if (view === 'narrow') await page.getByRole('application').click({ position: { x: 60, y: 60 } });
    else {
      const box = await price.boundingBox();
      if (box) await page.mouse.click(box.x + 10, box.y + 5);
      await page.getByRole('button', { name: /Make a list/ }).click();
      await page.getByText('Reads every row of the list.').waitFor();
      const second = page.frameLocator('iframe[title^="The page"]').locator('.name').nth(1);
      const other = await second.boundingBox();
      if (other) await page.mouse.click(other.x + 10, other.y + 5);
      await page.getByRole('button', { name: '— why?' }).first().click();
    }
    await check(page, 'studio');
    if (view !== 'narrow') {
      await page.getByText('Page data').click();
      await check(page, 'studio-data');
      await page.getByText('Fetch', { exact: true }).click();
      await page.getByRole('checkbox', { name: /scripts in a browser/ }).check();
      await check(page, 'studio-fetch');
      await page.getByRole('button', { name: 'Record actions in the page' }).click();
      await page.getByRole('button', { name: 'Action', exact: true }).click();
      await check(page, 'studio-recording');
      await page.getByText('JSON', { exact: true }).first().click();
      await page.locator('.cm-content').waitFor();
      await check(page, 'studio-json');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Pages, parsers, batches, commands').waitFor();
      await shoot(page, `palette-${view}`);
    }
    await shootStates(empty, await dashboard.open({ ...options, client }), view);
    expect(faults).toEqual([]);
  },
  // Thirty pages, each checked twice.
  600_000,
);
