import { afterAll, beforeAll, expect, it } from 'vitest';
import { largePage } from './large-page.ts';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';
import { clickInPage, openHtml } from './studio-actions.ts';

/** What makes the dashboard fast, counted: times depend on the machine. */

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

/** The paths that a page requests from now on, in order. */
function recordRequests(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url());
    if (protocol === 'http:') paths.push(pathname);
  });
  return paths;
}

it('shows the new value after a keystroke on a page of 500 KB without a request', async () => {
  const html = largePage();
  expect(html.length).toBeGreaterThan(500_000);
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openHtml(page, dashboard.system.baseUrl, html);
  await clickInPage(page, '.v1');
  const values = page.getByRole('region', { name: 'Values' });
  await values.getByText('value number 1').waitFor();
  const selector = page.getByRole('textbox', { name: 'Source', exact: true }).first();
  await selector.fill('.v1');
  const requested = recordRequests(page);
  for (const next of [2, 3, 4, 5]) {
    await selector.press('End');
    await selector.press('Backspace');
    await selector.press(String(next));
    await values.getByText(`value number ${next}`).waitFor();
  }
  // The balance and the alarms in the side bar are read again.
  const live = new Set(['/v1/credits', '/v1/parsers/alarms']);
  // A thread that proposes fields begins with code that the browser has by now.
  const isKept = (path: string): boolean => path.startsWith('/assets/extract.worker');
  expect(requested.filter((path) => !live.has(path) && !isKept(path))).toEqual([]);
});

it('loads the first page of an account in few requests, and its data beside the session', async () => {
  const { baseUrl } = dashboard.system;
  const signedIn = await dashboard.open({ client: await dashboard.system.client() });
  await signedIn.getByRole('textbox', { name: 'Address of a page' }).waitFor();
  const session = await signedIn.context().storageState();
  // A profile of its own: nothing is cached.
  const context = await signedIn.context().browser()?.newContext({ storageState: session });
  if (!context) throw new Error('the browser is gone');
  const page = await context.newPage();
  const requested = recordRequests(page);
  const answered: string[] = [];
  page.on('response', (response) => answered.push(new URL(response.url()).pathname));
  let before: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/parsers') before = [...answered];
  });
  const document = await page.goto(`${baseUrl}/parsers`);
  await page.getByRole('textbox', { name: 'Address of a page' }).waitFor();
  expect(requested).toEqual(expect.arrayContaining(['/parsers', '/session', '/v1/parsers', '/v1/credits']));
  expect(requested.length).toBeLessThanOrEqual(12);
  // Neither the answer about the session nor any data is needed to ask for the list.
  expect(before.filter((path) => !path.startsWith('/assets/'))).toEqual(['/parsers']);
  const { link = '' } = (await document?.allHeaders()) ?? {};
  const announced = [...link.matchAll(/<([^>]+)>/g)].map(([, path]) => path);
  expect(announced).toHaveLength(2);
  expect(requested).toEqual(expect.arrayContaining(announced));
  expect(new Set(requested).size).toBe(requested.length);
  await context.close();
});

it('transfers at most 260 KB of code for the form of a workflow, the first page and a collection', async () => {
  const client = await dashboard.system.client();
  const schema = { fields: { title: 'h1' } };
  const { json: parser } = await client.call('POST', '/v1/parsers', { name: 'product', schema });
  const { json: database } = await client.call('POST', '/v1/databases', { name: 'shop', kind: 'managed' });
  const idOf = (record: unknown): string => (record as { id: string }).id;
  const { json: cron } = await client.call('POST', '/v1/crons', {
    name: 'products',
    description: '',
    url: 'https://shop.example/',
    schedule: '0 6 * * *',
    target: { type: 'parser', parserId: idOf(parser) },
    sink: { mode: 'database', database: idOf(database), table: 'products' },
  });
  const bytesOf = async (path: string, ready: (page: Page) => Promise<void>): Promise<number> => {
    const page = await dashboard.open({ client, path, isFresh: true });
    await ready(page);
    return page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((total, entry) => total + (entry as PerformanceResourceTiming).transferSize, 0),
    );
  };
  const sizes = {
    form: await bytesOf('/workflows/new', (page) =>
      page.getByRole('textbox', { name: 'Name of the stage' }).waitFor(),
    ),
    today: await bytesOf('/', async (page) => {
      await page.getByText(/^All is well/).waitFor();
      await page.getByRole('img', { name: /^Pages an hour/ }).waitFor();
    }),
    collection: await bytesOf(`/collections/${idOf(cron)}?tab=where`, (page) =>
      page.getByRole('button', { name: 'Turn it off' }).waitFor(),
    ),
  };
  console.info(sizes);
  expect(sizes.form).toBeGreaterThan(100_000);
  expect(Object.entries(sizes).filter(([, bytes]) => bytes >= 260_000)).toEqual([]);
});
