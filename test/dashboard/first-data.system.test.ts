import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboard, type Dashboard } from './start-dashboard.ts';
import { openHtml } from './studio-actions.ts';

/** One click gives the first data of each kind of page. */

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

const NAMES = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir'];

function pageOf(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>
    <header><nav><a href="/">Home</a> <a href="/about">About us</a> <a href="/help">Help</a></nav></header>
    ${body}<footer><p>© 2026 Example Ltd. All rights reserved.</p></footer></body></html>`;
}

const PRODUCT = pageOf(
  'Copper kettle | Example',
  `<main><h1 class="product-title">Copper kettle</h1><img src="/kettle.jpg" alt="Copper kettle">
  <p class="price">$49.90</p><p class="stock">In stock</p>
  <div class="description"><p>Holds two litres and whistles when the water boils.</p></div>
  <dl><dt>Material</dt><dd>Copper</dd><dt>Weight</dt><dd>1.2 kg</dd></dl><button>Add to basket</button></main>`,
);

const LIST = pageOf(
  'Kettles',
  `<main><h1>Kettles</h1><div class="grid">${NAMES.map(
    (name, place) => `<article class="card"><a href="/p/${place}"><img src="/${place}.jpg" alt=""></a>
      <h2><a href="/p/${place}">Kettle ${name}</a></h2><span class="price">$${20 + place}.50</span></article>`,
  ).join('')}</div></main>`,
);

const ARTICLE = pageOf(
  'Why kettles whistle',
  `<article><h1>Why kettles whistle</h1><p class="byline">By <a rel="author" href="/ada">Ada Field</a>
  <time datetime="2026-03-04T10:00:00Z">4 March 2026</time></p>
  ${'<p>Steam leaves the spout through two plates with a hole each, and the air between them begins to vibrate.</p>'.repeat(6)}
  </article>`,
);

const TABLE = pageOf(
  'Harvest',
  `<main><h1>Harvest</h1><table><thead><tr><th>Tree</th><th>Year</th><th>Tonnes</th></tr></thead><tbody>${NAMES.map(
    (name, place) => `<tr><td>${name}</td><td>${2020 + place}</td><td>${(place + 1) * 7}</td></tr>`,
  ).join('')}</tbody></table></main>`,
);

const JSON_LD = pageOf(
  'Teapot',
  '<main><h1>Teapot</h1><p>See below.</p></main>',
  `<script type="application/ld+json">${JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Stoneware teapot',
    sku: 'TP-77',
    offers: {
      '@type': 'Offer',
      price: '31.50',
      priceCurrency: 'EUR',
      availability: 'https://schema.org/InStock',
    },
  })}</script>`,
);

const EMBEDDED = pageOf(
  'Cup',
  `<div id="root"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
    props: {
      pageProps: {
        product: {
          name: 'Porcelain cup',
          sku: 'CUP-12',
          price: { amount: 8.75, currency: 'EUR' },
          inStock: true,
        },
      },
    },
  })}</script>`,
);

const FORUM = pageOf(
  'Kettle does not whistle',
  `<main><h1>Kettle does not whistle</h1>${NAMES.slice(0, 4)
    .map(
      (
        name,
        place,
      ) => `<div class="post" id="post-${place}"><div class="meta"><a class="author" href="/u/${name}">${name}</a>
        <time datetime="2026-03-0${place + 1}T08:00:00Z">${place + 1} March 2026</time></div>
        <div class="content"><p>${name} says that the lid number ${place} has to close, because otherwise the steam
        leaves beside the spout and nothing is heard.</p></div></div>`,
    )
    .join('')}</main>`,
);

it.each([
  ['a product', PRODUCT, ['Copper kettle', '49.9']],
  ['a list', LIST, ['Kettle Alder', 'Kettle Fir']],
  ['an article', ARTICLE, ['Why kettles whistle', 'Ada Field']],
  ['a table', TABLE, ['Alder', '2025', '42']],
  ['a page with JSON-LD', JSON_LD, ['Stoneware teapot', 'TP-77']],
  ['a page with embedded JSON', EMBEDDED, ['Porcelain cup', 'CUP-12']],
  ['a forum', FORUM, ['Alder', 'Dogwood']],
])('one click gives the data of %s', async (_kind, html, values) => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openHtml(page, dashboard.system.baseUrl, html);
  await page
    .getByRole('button', { name: /^Use \d+ fields?/ })
    .first()
    .click();
  for (const value of values) await page.getByRole('button', { name: value, exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: /^Save/ }).isEnabled()).toBe(true);
});
