import { ENGINE } from '@gleaner/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Client } from '../system/start-system.ts';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';

/** An account with more things than any list shows: the oldest are found, chosen and named everywhere. */

const PARSERS = 1_002;
const RUNS = 10_000;

let dashboard: Dashboard;
let client: Client;

/** The oldest of each kind has a name of its own; the runs of the oldest parser are the oldest runs. */
async function fill(accountId: string): Promise<void> {
  const { sql } = dashboard.system.db;
  await sql`
    INSERT INTO gleaner.parsers (id, account_id, name, version, scrape_config)
    SELECT 'prs_' || ${accountId.slice(-8)} || lpad(i::text, 10, '0'), ${accountId},
      CASE i WHEN 1 THEN 'the oldest parser' ELSE 'parser ' || i END, 1, '{}' FROM generate_series(1, ${PARSERS}::int) i`;
  await sql`
    INSERT INTO gleaner.parser_versions (parser_id, version, schema)
    SELECT id, 1, '{"fields": {"title": "h1"}}' FROM gleaner.parsers WHERE account_id = ${accountId}`;
  await sql`
    INSERT INTO gleaner.databases (id, account_id, name, kind, created_at)
    SELECT 'db_' || ${accountId.slice(-8)} || lpad(i::text, 10, '0'), ${accountId},
      CASE i WHEN 1 THEN 'the oldest database' ELSE 'database ' || i END, 'managed', now()
    FROM generate_series(1, 120) i`;
  for (const [kind, prefix] of [
    ['job', 'job'],
    ['batch', 'bat'],
  ] as const)
    await sql`
      INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, retries, price, budget,
        total, carved, last_served, succeeded, finished_at, created_at)
      SELECT ${prefix}::text || '_' || ${accountId.slice(-8)} || lpad(i::text, 10, '0'),
        ${sql(ENGINE)}.number_at(now()) + (hashtext(${accountId + kind}) & 65535) * 16384 + i, ${accountId}, ${kind},
        CASE WHEN ${kind === 'batch'} THEN CASE i WHEN 1 THEN 'the oldest batch' ELSE 'batch ' || i END END,
        'succeeded', 'return', 'batch-http',
        jsonb_build_object('type', 'parser', 'parserId', 'prs_' || ${accountId.slice(-8)} || lpad(least(i, 1000)::text, 10, '0'), 'version', 1),
        '{}', 0, 1, 1, 1, 1, 0, 1, now() - (${RUNS}::int - i) * interval '1 second', now() - (${RUNS}::int - i) * interval '1 second'
      FROM generate_series(1, ${RUNS / 2}::int) i`;
}

beforeAll(async () => {
  dashboard = await startDashboard();
  client = await dashboard.system.client({ credits: 5_000 });
  await fill(client.accountId);
});
afterAll(() => dashboard.close());

/** How long it takes until a person sees what they typed for. */
async function measure(name: string, act: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await act();
  const ms = Math.round(performance.now() - startedAt);
  console.info(`${name}: ${ms} ms`);
  if (inject('isLong')) expect(ms, name).toBeLessThan(1_000);
}

async function openAt(page: Page, path: string): Promise<void> {
  await page.goto(`${dashboard.system.baseUrl}${path}`);
  await page.locator('h1').first().waitFor();
}

it('finds the oldest parser and the oldest batch in the palette', async () => {
  const page = await dashboard.open({ client, path: '/parsers' });
  await page.getByRole('link', { name: 'parser 1002' }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByPlaceholder('Pages, parsers, batches, commands');
  await field.waitFor();
  await measure('palette', async () => {
    await field.fill('the oldest');
    await page.getByRole('button', { name: /the oldest parser/ }).waitFor();
    await page.getByRole('button', { name: /the oldest batch/ }).waitFor();
  });
  await page.getByRole('button', { name: /the oldest parser/ }).click();
  await page.waitForURL(/\/parsers\/prs_/);
  expect(page.url()).toMatch(/prs_\w+0000000001$/);
});

it('searches lists at the service, and keeps the search in the address', async () => {
  const page = await dashboard.open({ client });
  await measure('list of parsers', async () => {
    await openAt(page, '/parsers');
    await page.getByRole('link', { name: 'parser 1002' }).waitFor();
  });
  await page.keyboard.press('/');
  await measure('search of parsers', async () => {
    await page.keyboard.type('OLDEST');
    await page.getByRole('link', { name: 'the oldest parser' }).waitFor();
  });
  await expect.poll(() => page.url()).toContain('search=OLDEST');
  await page.reload();
  await page.getByRole('link', { name: 'the oldest parser' }).waitFor();
  expect(await page.getByRole('link', { name: 'parser 1002' }).count()).toBe(0);
  // The field follows the address.
  const field = page.getByRole('textbox', { name: 'Search in Parsers' });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Parsers' }).click();
  await page.getByRole('link', { name: 'parser 1002' }).waitFor();
  expect(await field.inputValue()).toBe('');
  await page.goBack();
  await page.getByRole('link', { name: 'the oldest parser' }).waitFor();
  expect(await field.inputValue()).toBe('OLDEST');
  await page.getByRole('button', { name: 'More for the oldest parser' }).click();
  await page.getByRole('menuitem', { name: 'Name and slug' }).click();
  await page.getByRole('textbox', { name: 'Slug', exact: true }).fill('No Slug');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/^must be lower-case letters/).waitFor();
  await page.getByRole('textbox', { name: 'Slug', exact: true }).fill('oldest-of-all');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('table').getByText('oldest-of-all').waitFor();
  await page.getByRole('textbox', { name: 'Search in Parsers' }).fill('nothing at all');
  await page.getByText('No matches').waitFor();

  await measure('list of runs', async () => {
    await openAt(page, '/runs');
    await page.getByRole('link', { name: 'batch 5000' }).waitFor();
  });
  await page.getByRole('table').getByText('parser 1000 v1').first().waitFor();
  await measure('search of runs', async () => {
    await page.getByRole('textbox', { name: 'Find a run' }).fill('the oldest');
    await page.getByRole('link', { name: 'the oldest batch' }).waitFor();
  });
  await page.getByRole('table').getByText('the oldest parser v1').first().waitFor();
});

it('filters runs by the oldest parser, and selectors offer it', async () => {
  const page = await dashboard.open({ client, path: '/runs' });
  const parser = page.getByRole('combobox', { name: 'Parser', exact: true });
  await parser.fill('oldest');
  await page.getByRole('option', { name: 'the oldest parser' }).click();
  await page.getByRole('link', { name: 'the oldest batch' }).waitFor();
  expect(await page.getByRole('link', { name: 'batch 5000' }).count()).toBe(0);
  await openAt(page, '/crons/new');
  await page.getByRole('combobox', { name: 'Read each page with' }).fill('the oldest');
  await page.getByRole('option', { name: 'the oldest parser' }).click();
  await page.getByRole('combobox', { name: 'Rows go to', exact: true }).fill('the oldest');
  await page.getByRole('option', { name: 'database the oldest database' }).click();
});

it('keeps what a person types where a choice is proposed meanwhile', async () => {
  const page = await dashboard.open({ client, path: '/runs' });
  const proposal = Promise.withResolvers<void>();
  await page.route('**/v1/batches?**', async (route) => {
    await proposal.promise;
    await route.continue();
  });
  await openAt(page, '/crons/new');
  await page.getByRole('combobox', { name: 'Read each page with' }).fill('the oldest');
  await page.getByRole('option', { name: 'the oldest parser' }).click();
  const field = page.getByRole('combobox', { name: 'Rows go to', exact: true });
  await field.focus();
  proposal.resolve();
  await page.getByRole('textbox', { name: 'Table', exact: true }).waitFor();
  await field.pressSequentially('the oldest');
  await page.getByRole('option', { name: 'database the oldest database' }).click();
  await expect.poll(() => field.inputValue()).toBe('database the oldest database');
});

it('lists of 50 parsers are small', async () => {
  const { text } = await client.call('GET', '/v1/parsers?limit=50');
  expect(text.length).toBeLessThan(20_000);
});

it('asks little for the first page, however much there is', async () => {
  const page = await dashboard.open({ client, path: '/credits' });
  await page.getByRole('heading', { name: 'Credits', exact: true }).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/v1/')) asked.push(pathname);
  });
  await measure('first page', async () => {
    await openAt(page, '/');
    await page.getByText(/^All is well/).waitFor();
    await page.getByRole('img', { name: /^Pages an hour/ }).waitFor();
  });
  // What is live may be read a second time.
  expect(new Set(asked).size).toBeLessThanOrEqual(12);
  const { text } = await client.call('GET', '/v1/collections');
  expect(text.length).toBeLessThan(100_000);
});
