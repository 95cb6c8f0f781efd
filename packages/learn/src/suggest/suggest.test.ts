import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileParser, extract } from '@gleaner/extractors';
import { suggestSchema } from './suggest.ts';
import type { Examples, Suggestion } from './types.ts';

const URL = 'https://shop.example/list/';

function learn(...pages: [html: string, examples?: Examples][]): Suggestion {
  return suggestSchema(pages.map(([body, examples]) => ({ body, url: URL, examples })));
}

function run({ schema }: Suggestion, html: string): Record<string, unknown> {
  if (schema === null) return {};
  const extraction = extract(compileParser(schema), { body: html, url: URL });
  return extraction.ok ? extraction.data : { failure: extraction.failure };
}

function item(name: string, price: string, rating?: string): string {
  return `<li class="card"><a href="/p/${name.toLowerCase()}"><h3>${name}</h3></a><span class="price">${price}</span>${rating === undefined ? '' : `<em class="stars">${rating} stars</em>`}</li>`;
}

function list(...items: string[]): string {
  return `<html><head><title>Shop</title></head><body><ul class="menu"><li><a href="/">Home</a></li><li><a href="/all">All</a></li></ul><h1>Lamps</h1><ul class="cards">${items.join('')}</ul><ul class="foot"><li>Imprint</li></ul></body></html>`;
}

describe('single values', () => {
  const page = (title: string, price: string, weight: string, extra = ''): string =>
    `<html><head><title>${title} - Shop</title></head><body><div id="hd"><a href="/">Home</a></div>${extra}<h1 class="css-1a2b3c">${title}</h1><p><b>Price:</b> ${price}</p><table><tr><th>Brand</th><td>Acme</td></tr><tr><th>Weight</th><td>${weight}</td></tr></table><a class="next" href="../p/2">More</a></body></html>`;

  it('are read of numbers without steps, which would make digits of raised cents and notes', () => {
    const suggestion = learn(['<h1>Lamp</h1><p class=price>$12.99</p>', { price: 12.99 }]);
    expect(run(suggestion, '<h1>Pen</h1><p class=price>$7.49<sup>1</sup></p>')).toEqual({ price: 7.49 });
    expect(run(suggestion, '<h1>Pen</h1><p class=price><del>$9</del> <ins>$5</ins></p>')).toEqual({
      price: 5,
    });
  });

  it('are found by stable markup, also on pages with other content before them', () => {
    const suggestion = learn([
      page('Lamp', '1.299,00 €', '3 kg'),
      { title: 'Lamp', price: '1.299,00 €', weight: '3 kg' },
    ]);
    expect(run(suggestion, page('Chair', '5 €', '12 kg', '<div>Sale</div><p>Today only</p>'))).toEqual({
      title: 'Chair',
      price: '5 €',
      weight: '12 kg',
    });
    expect(JSON.stringify(suggestion.schema)).not.toContain('css-1a2b3c');
  });

  it('take the type of the example', () => {
    const suggestion = learn([
      page('Lamp', '1.299,00 €', '3 kg'),
      { price: 1299, weight: 3, more: 'https://shop.example/p/2' },
    ]);
    expect(run(suggestion, page('Chair', '12,50 €', '7 kg'))).toEqual({
      price: 12.5,
      weight: 7,
      more: 'https://shop.example/p/2',
    });
  });

  it('are cut out of a text with a label', () => {
    const text = (sku: string, size: string): string =>
      `<body><h1>X</h1><div class="facts">SKU: ${sku} | Size: ${size}</div></body>`;
    const suggestion = learn([text('A-17', '40 cm'), { sku: 'A-17', size: '40 cm' }]);
    expect(run(suggestion, text('BB-204', '7 cm'))).toEqual({ sku: 'BB-204', size: '7 cm' });
  });

  it('come from JSON-LD and embedded data when the page doesn’t show them', () => {
    const data = (sku: string, stock: number): string =>
      `<body><script type="application/ld+json">{"@type":"Product","sku":"${sku}"}</script><script id="__NEXT_DATA__" type="application/json">{"props":{"stock":${stock}}}</script><h1>T</h1></body>`;
    const suggestion = learn([data('Q-1', 48), { sku: 'Q-1', stock: 48 }]);
    expect(run(suggestion, data('Z-9', 7))).toEqual({ sku: 'Z-9', stock: 7 });
  });

  it('of several layouts get several sources', () => {
    const one = (city: string): string =>
      `<body><h1>Job</h1><table><tr><th>Location</th><td>${city}</td></tr></table></body>`;
    const two = (city: string): string => `<body><h1>Job</h1><dl><dt>Where:</dt><dd>${city}</dd></dl></body>`;
    const suggestion = learn([one('Oslo'), { city: 'Oslo' }], [two('Rome'), { city: 'Rome' }]);
    expect(suggestion.fields[0]?.missed).toEqual([]);
    expect([run(suggestion, one('Bern')), run(suggestion, two('Kyiv'))]).toEqual([
      { city: 'Bern' },
      { city: 'Kyiv' },
    ]);
  });

  it('that a page lacks are null there', () => {
    const html = (author?: string): string =>
      `<body><h1>Book</h1>${author === undefined ? '' : `<p><b>Author:</b> ${author}</p>`}<p><b>Pages:</b> 120</p></body>`;
    const suggestion = learn([html('Ann'), { author: 'Ann' }], [html(), { author: null }]);
    expect([run(suggestion, html('Bo')), run(suggestion, html())]).toEqual([
      { author: 'Bo' },
      { author: null },
    ]);
  });

  it('that no page contains are reported and get no field', () => {
    const suggestion = learn([page('Lamp', '5 €', '3 kg'), { title: 'Lamp', ghost: 'nowhere at all' }]);
    expect(suggestion.fields.find(({ path }) => path === 'ghost')).toMatchObject({
      confidence: 0,
      missed: [{ page: 0, reason: 'the example was not found on its page' }],
    });
    expect(Object.keys(suggestion.schema?.fields ?? {})).toEqual(['title']);
  });

  it('offer amounts with their currency apart where every example has one', () => {
    const { fields } = learn(
      [page('Lamp', '1.299,00 €', '3 kg'), { title: 'Lamp', price: '1.299,00 €', weight: '3 kg' }],
      [page('Chair', '5 €', '12 kg'), { price: '5 €' }],
    );
    const money = fields.filter(({ alternatives: [first] }) =>
      JSON.stringify(first).includes('"type":"money"'),
    );
    expect(money.map(({ path }) => path)).toEqual(['price']);
    const field = fields.find(({ path }) => path === 'price')?.alternatives[0]?.field ?? {};
    const extraction = extract(compileParser({ fields: { price: field } }), {
      body: page('Bed', '20,50 €', '9 kg'),
      url: URL,
    });
    expect(extraction).toMatchObject({ ok: true, data: { price: { amount: 20.5, currency: 'EUR' } } });
  });

  it('that are written as money give one field of that type, and other objects their fields', () => {
    const price = { amount: 1299, currency: 'EUR' };
    const { schema } = learn(
      [page('Lamp', '1.299,00 €', '3 kg'), { title: 'Lamp', price, both: { title: 'Lamp', weight: '3 kg' } }],
      [page('Chair', '5 €', '12 kg'), { price: { amount: 5, currency: 'EUR' } }],
    );
    expect(schema?.fields['price']).toMatchObject({ type: 'money' });
    expect(schema?.fields['both']).toHaveProperty('fields.title');
    const extraction = extract(compileParser(schema ?? { fields: {} }), {
      body: page('Bed', '20,50 €', '9 kg'),
      url: URL,
    });
    expect(extraction).toMatchObject({ ok: true, data: { price: { amount: 20.5, currency: 'EUR' } } });
  });

  it('that no price of the page gives as money are an object', () => {
    const price = { amount: 5, currency: 'USD' };
    const { schema } = learn([page('Chair', '5 €', '12 kg'), { price }]);
    expect(schema?.fields['price']).not.toMatchObject({ type: 'money' });
  });

  it('have alternatives with reasons', () => {
    const [field] = learn([page('Lamp', '5 €', '3 kg'), { title: 'Lamp' }]).fields;
    expect(field?.reason).not.toBe('');
    expect(field?.alternatives.length).toBeGreaterThan(0);
    expect(field?.alternatives.every(({ reason, confidence }) => reason !== '' && confidence <= 1)).toBe(
      true,
    );
  });
});

describe('lists', () => {
  const first = list(item('Aria', '$10.50', '4.5'), item('Bolt', '$7.00'), item('Cone', '$99.00', '3.0'));
  const second = list(item('Dome', '$1.00', '5.0'), item('Edge', '$2.00'), '<li class="ad">Buy now</li>');

  it('of rows are learned from two rows, with cells that some rows lack', () => {
    const suggestion = learn([
      first,
      {
        items: [
          { name: 'Aria', price: 10.5, url: 'https://shop.example/p/aria', rating: 4.5 },
          { name: 'Bolt', price: 7, url: 'https://shop.example/p/bolt', rating: null },
        ],
      },
    ]);
    expect(run(suggestion, second)).toEqual({
      items: [
        { name: 'Dome', price: 1, url: 'https://shop.example/p/dome', rating: 5 },
        { name: 'Edge', price: 2, url: 'https://shop.example/p/edge', rating: null },
      ],
    });
    expect(run(suggestion, first)['items']).toHaveLength(3);
  });

  it('may have no or one value on a page', () => {
    const html = (...tags: string[]): string =>
      `<h1>A</h1><p class="tags">${tags.map((tag) => `<a>${tag}</a>`).join('')}</p>`;
    const suggestion = learn(
      [html('x', 'y'), { tags: ['x', 'y'] }],
      [html('z'), { tags: 'z' }],
      [html(), { tags: null }],
    );
    expect(suggestion.fields[0]?.missed).toEqual([]);
    expect(run(suggestion, html('p', 'q', 'r'))).toEqual({ tags: ['p', 'q', 'r'] });
  });

  it('of texts are learned from two texts', () => {
    const suggestion = learn([first, { names: ['Aria', 'Bolt'] }]);
    expect(run(suggestion, second)).toEqual({ names: ['Dome', 'Edge'] });
  });

  it('in a table don’t include the header row', () => {
    const table = (rows: [string, string][]): string =>
      `<table><tr><th>Name</th><th>Born</th></tr>${rows.map(([name, year]) => `<tr><td>${name}</td><td>${year}</td></tr>`).join('')}</table>`;
    const suggestion = learn([
      table([
        ['Ann', '1970'],
        ['Bo', '1981'],
        ['Cy', '1992'],
      ]),
      {
        people: [
          { name: 'Ann', born: 1970 },
          { name: 'Bo', born: 1981 },
        ],
      },
    ]);
    expect(
      run(
        suggestion,
        table([
          ['Di', '2001'],
          ['Ed', '2002'],
        ]),
      ),
    ).toEqual({
      people: [
        { name: 'Di', born: 2001 },
        { name: 'Ed', born: 2002 },
      ],
    });
  });
});

describe('without examples', () => {
  it('records and facts are proposed with names from the page', () => {
    const html = `<html><head><title>Lamps</title></head><body><h1>Lamps</h1><dl><dt>Opening hours:</dt><dd>9 to 5</dd></dl><ul class="cards">${item('Aria', '$10.50')}${item('Bolt', '$7.00')}${item('Cone', '$9.00')}</ul></body></html>`;
    const data = run(learn([html]), html);
    expect(data).toMatchObject({ title: 'Lamps', opening_hours: '9 to 5' });
    expect(data['items']).toHaveLength(3);
    expect((data['items'] as unknown[])[2]).toMatchObject({ price: '$9.00', url: '/p/cone' });
  });

  it('columns of a table have the names of its headers, and the last header is no label', () => {
    const rows = ['Austria 19', 'Belgium 20', 'Chile 21', 'Denmark 22']
      .map((row) => row.split(' '))
      .map(([country, vat]) => `<tr><td>${country}</td><td>€ ${vat}.50</td><td>${vat} %</td></tr>`);
    const html = `<h1>Prices</h1><table><thead><tr><th>Country</th><th>Price</th><th>VAT</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
    const data = run(learn([html]), html);
    expect(Object.keys(data)).toEqual(['title', 'items']);
    expect((data['items'] as unknown[])[1]).toEqual({ country: 'Belgium', price: '€ 20.50', vat: '20 %' });
  });

  it('an article gives its author and its date, when it names one of each', () => {
    const article = (n: number, author: string, day: string): string =>
      `<article><h1>Kettles, part ${n}</h1><p>By <a rel="author" href="/people/${n}">${author}</a>, <time datetime="2026-10-${day}">in October</time></p><p>Copper is drawn over wood.</p></article>`;
    const suggestion = learn([article(1, 'Ada Field', '03')]);
    expect(run(suggestion, article(2, 'Ben Stone', '17'))).toMatchObject({
      title: 'Kettles, part 2',
      author: 'Ben Stone',
      published: '2026-10-17',
    });
  });

  it('a page that shows one price gives it, and not an old one or those of a list', () => {
    const shop = (prices: string): string =>
      `<main><h1>Lamp</h1>${prices}</main><ul class="cards">${item('Chair', '$5.00')}${item('Desk', '$6.00')}${item('Bed', '$7.00')}</ul>`;
    const read = (html: string): unknown => run(learn([html]), html)['price'];
    expect(read(shop('<p class="price">€1,299.00</p><p class="old-price">€1,499.00</p>'))).toBe('€1,299.00');
    expect(read(shop('<div class="price"><del>$20</del><span>$15</span></div>'))).toBe('$15');
    expect(read(shop('<p class="price">$15</p><p class="price">$20</p>'))).toBeUndefined();
    expect(read(shop('<p class="price">Ask us</p>'))).toBeUndefined();
  });

  it('a page whose values are in its embedded JSON alone gives those of its main record', () => {
    const page = (id: number, city: string): string =>
      `<h1>Flat ${id}</h1><p>Loading</p><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
        words: Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`key${n}`, `Word ${n}`])),
        props: {
          listing: {
            title: `Bright flat ${id}`,
            price: 1200 + id,
            size: 70 + id,
            isNew: true,
            address: { city },
          },
          similar: [{ title: 'a', price: 1, rooms: 2, city: 'b', street: 'c' }],
        },
      })}</script>`;
    const suggestion = learn([page(7, 'Bremen')]);
    expect(run(suggestion, page(9, 'Kiel'))).toMatchObject({ price: '1209', size: '79', city: 'Kiel' });
  });

  it('returns no schema for an empty page', () => {
    expect(learn(['<p></p>'])).toEqual({ schema: null, fields: [] });
  });
});

describe('any page', () => {
  const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,.:'"&<$-]{0,18}[A-Za-z0-9]$/);
  const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

  it('gets a schema that extracts its examples exactly, or a report of the failed fields', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('p', 'div', 'td', 'li'),
        (pairs, tag) => {
          const row = tag === 'td' ? '<tr>' : '';
          const cells = pairs
            .map(([label, value]) => `${row}<${tag}><b>${escape(label)}</b> ${escape(value)}</${tag}>`)
            .join('');
          const html = tag === 'td' ? `<table>${cells}</table>` : tag === 'li' ? `<ul>${cells}</ul>` : cells;
          const examples = Object.fromEntries(pairs.map(([, value], index) => [`field_${index}`, value]));
          const suggestion = learn([html, examples]);
          const data = run(suggestion, html);
          for (const { path, missed } of suggestion.fields) {
            const wanted = (examples[path] ?? '').replaceAll(/\s+/g, ' ').trim();
            if (missed.length === 0) expect(String(data[path]).replaceAll(/\s+/g, ' ')).toBe(wanted);
          }
          expect(suggestion.fields.map(({ path }) => path)).toEqual(Object.keys(examples));
          expect(suggestion.fields.filter(({ missed }) => missed.length > 0)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});
