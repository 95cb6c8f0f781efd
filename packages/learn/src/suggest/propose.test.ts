import { expect, it } from 'vitest';
import { compileParser, extract } from '@gleaner/extractors';
import { suggestSchema } from './suggest.ts';

/** What is proposed for a page without examples: the confidence by field, and the data. */
function propose(body: string) {
  const { schema, fields } = suggestSchema([{ body }]);
  const extraction = schema && extract(compileParser(schema), { body });
  const data: Record<string, unknown> = extraction?.ok ? extraction.data : {};
  return {
    schema,
    sure: Object.fromEntries(fields.map(({ path, confidence }) => [path, confidence])),
    data,
  };
}

const TOPICS = ['Africa', 'Americas', 'Asia', 'Europe'].map((name) => `<a href="/${name}">${name}</a>`);

it.each([
  [
    'in a nav',
    `<nav><ul>${'<li class="x"><a href="/a">A thing</a> and more of it</li>'.repeat(9)}</ul></nav>`,
  ],
  ['of several links a row', `<div>${`<div class="col">${TOPICS.join(' ')}</div>`.repeat(9)}</div>`],
  ['of short links', `<ul>${TOPICS.map((link) => `<li class="t">${link}</li>`).join('')}</ul>`],
])('navigation %s is no list of data', (_, html) => {
  expect(propose(`<h1>News</h1>${html}`).schema?.fields).not.toHaveProperty('items');
});

it('the columns of a table are named by its header cells, merged ones too', () => {
  const rows = [1, 2, 3, 4].map(
    (n) => `<tr><td>Lamp ${n}</td><td>${n}0 W</td><td>${n},50 €</td><td>${n},90 €</td></tr>`,
  );
  const head =
    '<thead><tr><th rowspan="2">Name</th><th rowspan="2">Power</th><th colspan="2">Price</th></tr><tr><th>from</th><th>to</th></tr></thead>';
  const { data } = propose(`<h1>Lamps</h1><table>${head}<tbody>${rows.join('')}</tbody></table>`);
  expect(data['items']).toHaveLength(4);
  expect((data['items'] as object[])[2]).toEqual({
    name: 'Lamp 3',
    power: '30 W',
    price_from: '3,50 €',
    price_to: '3,90 €',
  });
});

it('an article is proposed with its text', () => {
  const text = '<p>The council met on Monday and spoke about lamps, which are to be replaced next year.</p>';
  const { data, schema } = propose(
    `<meta property="og:type" content="article"><article><h1>New lamps</h1>${text.repeat(14)}</article>`,
  );
  expect(schema?.fields['text']).toEqual({ page: 'markdown' });
  expect(data['text']).toContain('The council met on Monday');
  expect(propose(`<h1>Lamps</h1>${text.repeat(14)}`).schema?.fields).not.toHaveProperty('text');
});

it('what stands after a colon is likely at most, and no value in a form', () => {
  const { sure } = propose(
    `<h1>A lamp</h1><form><label>Password:</label> <button>Login</button></form><p><b>Colour:</b> <i>blue</i></p>
     <table><tr><th>Weight</th><td>3 kg</td></tr></table>`,
  );
  expect(sure).not.toHaveProperty('password');
  expect(sure['colour']).toBeLessThan(0.9);
  expect(sure['weight']).toBeGreaterThanOrEqual(0.9);
});
