import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';
import { clickInPage, openHtml } from './studio-actions.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

const CARDS = [
  ['Blue mug', 'New', '20,00 €', '12,50 €', 'blue', 'ceramic'],
  ['Red mug', '', '', '9,00 €', 'red', 'steel'],
  ['Old mug', '', '15,00 €', '7,25 €', 'brown', 'ceramic'],
  ['Travel mug', 'New', '', '19,90 €', 'black', 'steel'],
].map(
  ([title, badge, old, price, ...tags]) =>
    `<div class="card"><h3>${title}</h3>${badge && `<span class="badge">${badge}</span>`}${old && `<span class="price price--old">${old}</span>`}<span class="price">${price}</span><ul class="tags">${tags.map((tag) => `<li>${tag}</li>`).join('')}</ul></div>`,
);
const SHOP = `<title>Mugs</title><h1>All mugs</h1><div class="cards">${CARDS.join('')}</div>`;

/** The column of a table of the result, without the row's number. */
async function columnOf(page: Page, name: string): Promise<(string | null)[]> {
  const table = page.getByRole('region', { name: 'Values', exact: true }).getByRole('table').last();
  const at = (await table.locator('thead th').allTextContents()).indexOf(name);
  return table.locator(`tbody tr > :nth-child(${at + 1})`).allTextContents();
}

it('a click on a value that some rows lack reads it alone, and a list in a row is offered', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openHtml(page, dashboard.system.baseUrl, SHOP);
  await clickInPage(page, 'h3', 0);
  await clickInPage(page, 'h3', 1);
  await clickInPage(page, '.badge');
  await expect.poll(() => columnOf(page, 'badge')).toEqual(['New', '— why?', '— why?', 'New']);
  await clickInPage(page, '.price--old', 1);
  await expect.poll(() => columnOf(page, 'price')).toEqual(['20', '— why?', '15', '— why?']);
  await clickInPage(page, '.price:not(.price--old)', 3);
  await expect.poll(() => columnOf(page, 'price_2')).toEqual(['12.5', '9', '7.25', '19.9']);
  await clickInPage(page, '.tags li', 1);
  await expect.poll(() => columnOf(page, 'li')).toEqual(['ceramic', 'steel', 'ceramic', 'steel']);
  await page.getByRole('button', { name: 'Read all 2 in a row as a list' }).click();
  await expect.poll(async () => (await columnOf(page, 'li'))[1]).toBe('red, steel');
});

const DETAILS = `<title>Mug</title><h1>Mug</h1>
  <div class="buy"><span class="old">4.50 €</span><span class="price">3.50 €</span><span class="stock">In stock</span></div>
  <p><i>12 €</i><i>8 €</i><i>In stock</i></p>
  <table>${['Weight:100 g', 'Colour:red', 'Material:steel'].map((row) => `<tr><th>${row.replace(':', '</th><td>')}</td></tr>`).join('')}</table>
  <dl><dt>Brand</dt><dd>Acme</dd><dt>Size</dt><dd>12 cm</dd><dt>Made in</dt><dd>Peru</dd></dl>`;

it('two clicks on unlike values make two fields, and a value has the name of its label', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openHtml(page, dashboard.system.baseUrl, DETAILS);
  const clicks = ['.price', '.old', 'td >> nth=0', 'td >> nth=1', 'dd >> nth=0', 'dd >> nth=1', 'i >> nth=0'];
  for (const selector of clicks) await clickInPage(page, selector);
  const fields = page.getByRole('region', { name: 'Fields', exact: true });
  for (const name of ['price', 'old', 'weight', 'colour', 'brand', 'size', 'i'])
    await fields.getByRole('button', { name: new RegExp(`^${name}\\b`) }).waitFor();
  await clickInPage(page, 'i >> nth=1');
  await fields.getByRole('button', { name: /^i_2/ }).waitFor();
  await fields.getByRole('button', { name: /^weight/ }).click();
  const source = fields.getByRole('textbox', { name: 'Source', exact: true });
  await expect.poll(() => source.inputValue()).toMatch(/^\/\/th\[normalize-space\(\.\)="Weight"\]/);
  const values = page.getByRole('region', { name: 'Values', exact: true });
  for (const value of ['3.5', '4.5', '100 g', 'red', 'Acme', '12 cm', '12', '8'])
    await values.getByRole('button', { name: value, exact: true }).waitFor();
  // The list of both is offered.
  await page.getByRole('button', { name: 'Make a list of 3 like this' }).click();
  await values.getByRole('button', { name: 'In stock', exact: true }).waitFor();
});

it('a click in a row of a list that was accepted adds a column, and an undone name leaves no field', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openHtml(page, dashboard.system.baseUrl, SHOP);
  await page.getByRole('button', { name: /^Use \d field/ }).click();
  await clickInPage(page, '.tags li', 1);
  await expect.poll(() => columnOf(page, 'li')).toEqual(['ceramic', 'steel', 'ceramic', 'steel']);
  const fields = page.getByRole('region', { name: 'Fields', exact: true });
  const name = fields.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('material');
  await name.press('Enter');
  await page.getByRole('region', { name: /^How \S+\.material is read/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => columnOf(page, 'li')).toEqual(['ceramic', 'steel', 'ceramic', 'steel']);
  await expect.poll(() => page.getByRole('region', { name: /^How / }).count()).toBe(0);
});

it('a fault stands at its own source, and the chosen column comes into view', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client(), width: 1100 });
  await openHtml(page, dashboard.system.baseUrl, SHOP);
  await page.getByRole('button', { name: /^Use \d field/ }).click();
  const fields = page.getByRole('region', { name: 'Fields', exact: true });
  await fields
    .getByRole('button', { name: /^price/ })
    .first()
    .click();
  const head = page.getByRole('region', { name: 'Values', exact: true }).locator('th[data-selected=true]');
  await head.waitFor();
  await expect
    .poll(() =>
      head.evaluate((element) => {
        const { left, right } = element.getBoundingClientRect();
        return left >= 0 && right <= document.documentElement.clientWidth + 1;
      }),
    )
    .toBe(true);
  await fields.getByRole('button', { name: 'Fallback', exact: true }).click();
  await fields.getByRole('textbox', { name: 'Fallback' }).last().fill('.cost');
  const source = fields.getByRole('textbox', { name: 'Source', exact: true });
  await source.fill('span[[');
  await expect.poll(() => source.getAttribute('aria-invalid')).toBe('true');
  const fallback = fields.getByRole('textbox', { name: 'Fallback' }).last();
  expect(await fallback.getAttribute('aria-invalid')).not.toBe('true');
});

it('what is searched in selects its text when it is entered, and keeps what is typed', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client(), path: '/crons/new' });
  const zone = page.getByRole('combobox', { name: 'Time zone', exact: true });
  // A busy page paints its next frame after the first letters.
  await page.evaluate(() => {
    window.requestAnimationFrame = (act) => window.setTimeout(() => act(performance.now()), 500);
  });
  await zone.click();
  await page.keyboard.type('Lisbon', { delay: 200 });
  expect(await zone.inputValue()).toBe('Lisbon');
});

it('a proposal that arrives late leaves what is typed meanwhile', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  let answer = (): void => {};
  const typed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/v1/batches?*', async (route) => {
    await typed;
    await route.continue();
  });
  await page.goto(new URL('/crons/new', page.url()).href);
  await page.getByRole('combobox', { name: 'Read each page with' }).fill('any page');
  await page.getByRole('option', { name: /^page: any page/ }).click();
  const rows = page.getByRole('combobox', { name: 'Rows go to', exact: true });
  await rows.fill('made');
  answer();
  // The proposal names the table.
  const table = page.getByRole('textbox', { name: 'Table' });
  await expect.poll(() => table.inputValue()).toBe('page');
  expect(await rows.inputValue()).toBe('made');
  await rows.blur();
  await expect.poll(() => rows.inputValue()).toBe('a new database, “results”');
});
