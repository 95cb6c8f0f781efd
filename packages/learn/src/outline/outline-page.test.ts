import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileParser, extract } from '@gleaner/extractors';
import { outlinePage } from './outline-page.ts';

const URL = 'https://shop.example/lamps';

function card(name: string, price: string): string {
  return `<li class="card"><a href="/p/${name.toLowerCase()}"><h3>${name}</h3></a><span class="price">€ ${price}</span></li>`;
}

const PAGE = `<!doctype html><html lang="de"><head><title>Lamps</title>
<meta name="description" content="All our lamps">
<script type="application/ld+json">{"@type":"Store","name":"Lamp Shop","address":{"city":"Bonn"}}</script>
<script type="application/json" id="state">{"page":{"total":4,"ids":[7,8]}}</script></head>
<body><nav><a href="/">Home</a></nav><h1 class="headline">Lamps of the year</h1><p class="rating">4.5 stars</p>
<ul class="cards">${card('Arc', '10.00')}${card('Bow', '20.50')}${card('Cone', '30.00')}${card('Dome', '40.00')}</ul>
<table class="shops"><tr class="shop"><td class="town">Bonn</td><td class="phone">0228 1</td></tr>
<tr class="shop"><td class="town">Kiel</td><td class="phone">0431 2</td></tr>
<tr class="shop"><td class="town">Jena</td><td class="phone">03641 3</td></tr></table></body></html>`;

test('an outline has the facts of the page and the paths to its data', () => {
  const outline = outlinePage({ body: PAGE, url: URL }, 20_000);
  expect(outline).toMatchObject({ title: 'Lamps', language: 'de', link_count: 5 });
  expect(outline.headings[0]).toEqual({
    level: 1,
    text: 'Lamps of the year',
    selector: expect.stringContaining('h1'),
  });
  expect(outline.values).toContainEqual({
    selector: expect.stringContaining('rating'),
    sample: '4.5 stars',
  });
  expect(outline.meta).toContainEqual({ name: 'description', content: 'All our lamps' });
  expect(outline.data).toContainEqual({
    kind: 'jsonld',
    script: null,
    path: "$[?@['@type']=='Store']",
    values: { "['@type']": 'Store', '.name': 'Lamp Shop', '.address.city': 'Bonn' },
  });
  expect(outline.data).toContainEqual({
    kind: 'json',
    script: 'script#state',
    path: '$',
    values: { '.page.total': '4', '.page.ids[0]': '7' },
  });
  expect(outline.text).toContain('Lamps of the year');
  expect(Object.values(outline.left_out)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('each repeated block has a field that a parser can use as it is', () => {
  const { blocks } = outlinePage({ body: PAGE, url: URL }, 20_000);
  expect(blocks.map(({ count }) => count).toSorted()).toEqual([3, 4]);
  for (const { field, count, samples } of blocks) {
    const parser = compileParser({ fields: { items: field } });
    const extraction = extract(parser, { body: PAGE, url: URL });
    const items = extraction.ok ? (extraction.data['items'] as unknown[]) : [];
    expect(items).toHaveLength(count);
    expect(items.slice(0, 2)).toEqual(samples);
  }
  expect(JSON.stringify(blocks)).toContain('Arc');
  expect(JSON.stringify(blocks)).toContain('0431 2');
});

test('an outline fits its budget and counts what was left out', () => {
  const cards = Array.from({ length: 50 }, (_, index) => card(`Lamp${index}`, `${index}.00`));
  const headings = Array.from(
    { length: 100 },
    (_, index) => `<h2 id="part${index}">"Part"\t${index} 😀</h2>`,
  );
  const body = `<title>${'x'.repeat(5_000)}</title>${headings.join('')}<ul class="cards">${cards.join('')}</ul>`;
  fc.assert(
    fc.property(fc.integer({ min: 1_000, max: 12_000 }), (budget) => {
      const outline = outlinePage({ body, url: URL }, budget);
      expect(JSON.stringify(outline).length).toBeLessThanOrEqual(budget);
      if (budget < 4_000) expect(outline.left_out.headings + outline.left_out.text).toBeGreaterThan(0);
    }),
    { numRuns: 12 },
  );
});

test('names of elements with a colon are escaped', () => {
  const rows = ['Arc', 'Bow', 'Cone'].map(
    (name) => `<o:li><o:b>${name}</o:b><i>${name.length}.50</i></o:li>`,
  );
  const { blocks } = outlinePage({ body: `<h1><o:p>Lamps</o:p></h1>${rows.join('')}`, url: URL }, 8_000);
  expect(blocks.map(({ count }) => count)).toEqual([3]);
});

test('an empty page has an empty outline', () => {
  expect(outlinePage({ body: ' ', url: URL }, 1_000)).toMatchObject({
    title: null,
    language: null,
    link_count: 0,
    headings: [],
    blocks: [],
    text: '',
  });
});
