import type { ParserSchema } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { looksScripted } from '../content/looks-scripted.ts';
import { extract, parsePage } from './extract.ts';

const PAGE = '<title>Shop</title><h1></h1><p class=note>Closed</p>';

function endOf(schema: ParserSchema, body = PAGE): string {
  const extraction = extract(compileParser(schema), { body }, { refusesEmpty: true });
  return extraction.ok ? 'ok' : extraction.failure.detail;
}

it.each<[string, ParserSchema]>([
  ['selectors', { fields: { a: 'h2', b: { css: ['.x', '.y'], take: 'all' } } }],
  ['data', { fields: { a: { jsonld: '$..price' }, b: { meta: 'og:title' }, c: { xpath: '//table' } } }],
  ['a group', { fields: { a: { fields: { b: 'h2' } } } }],
  ['a list', { fields: { rows: { css: 'li', take: 'all', fields: { name: 'b', kind: { const: 'x' } } } } }],
  ['selectors beside constants and facts', { fields: { a: 'h2', b: { const: 1 }, c: { page: 'title' } } }],
  ['a source that a constant stands in for', { fields: { a: { any: ['h2', { const: 'none' }] } } }],
])('a page where %s match nothing fails', (_name, schema) => {
  expect(endOf(schema)).toBe('nothing on the page matched');
  expect(endOf({ ...schema, allow_empty: true })).toBe('ok');
  expect(extract(compileParser(schema), { body: PAGE })).toMatchObject({ ok: true });
});

it.each<[string, ParserSchema]>([
  ['one source matched, without a value', { fields: { a: 'h1', b: 'h2' } }],
  ['the schema has facts and constants alone', { fields: { a: { page: 'url' }, b: { const: 1 } } }],
  ['a field counts', { fields: { a: 'h2', n: { css: 'li', take: 'count' } } }],
  [
    'a nested field asks whether there is one',
    { fields: { a: { fields: { b: { css: 'i', take: 'exists' } } } } },
  ],
  ['a field has a default', { fields: { a: 'h2', b: { css: 'h3', default: 'none' } } }],
])('a page succeeds where %s', (_name, schema) => {
  expect(endOf(schema)).toBe('ok');
});

it.each<[string, string, string]>([
  ['the empty list of a JSON page', '$.none[*]', 'ok'],
  ['an empty list that is the value itself', '$.none', 'ok'],
  ['an object in place of a list', '$.object[*]', 'nothing on the page matched'],
  ['a path that leads nowhere', '$.nowhere[*]', 'nothing on the page matched'],
])('%s', (_name, path, end) => {
  const body = '{"none": [], "object": {}}';
  for (const parts of [{}, { fields: { a: { json: { path: '$.a' } } } }]) {
    const parser = compileParser({ fields: { list: { json: { path }, take: 'all', ...parts } } });
    const page = { body, contentType: 'application/json' };
    const extraction = extract(parser, page, { refusesEmpty: true });
    expect(extraction.ok ? 'ok' : extraction.failure.detail).toBe(end);
  }
});

it('an absent required field is named, and not that nothing matched', () => {
  expect(endOf({ fields: { a: { css: 'h2', required: true } } })).toBe(
    'a (h2): required, but nothing matched',
  );
});

const BUNDLE = '<script src="/assets/app.js"></script>';
const WORDS = '<p>A paragraph of the text that this page is about, as a reader finds it.</p>';

it.each([
  ['no text beside a bundle', `<div id=x></div>${BUNDLE}`, true],
  ['no text beside a long inline script', `<script>${'f();'.repeat(600)}</script>`, true],
  ['a menu, an empty root and a bundle', `${WORDS.repeat(5)}<div id=root></div>${BUNDLE}`, true],
  ['an element of a framework without text', `${WORDS.repeat(5)}<app-root></app-root>${BUNDLE}`, true],
  ['a noscript that asks for JavaScript', '<noscript><p>Please enable JavaScript.</p></noscript>', true],
  ['a noscript beside text of its own', `<noscript>Enable JavaScript</noscript>${WORDS.repeat(5)}`, false],
  ['a noscript with a counter', '<h1>Lamp</h1><noscript><img src=/count.gif></noscript>', false],
  ['a filled root', `<div id=root>${WORDS.repeat(5)}</div>${BUNDLE}`, false],
  ['much text beside an empty root', `${WORDS.repeat(20)}<div id=root></div>${BUNDLE}`, false],
  [
    'little text beside a few lines that write it',
    '<h1>Shop</h1><ul></ul><script>for (const a of [1]) document.querySelector("ul").innerHTML += a</script>',
    true,
  ],
  [
    'little text beside the snippet of a counter',
    '<h1>Lamp</h1><script>(function(w,d,s){var j=d.createElement(s);d.head.insertBefore(j,null)})(window,document,"script")</script>',
    false,
  ],
  ['little text and no script', '<h1>Lamp</h1>', false],
  ['nothing', '', false],
])('a page with %s looks as if scripts fill it, or not', (_name, body, expected) => {
  const document = parsePage({ body });
  expect('reason' in document ? document.reason : looksScripted(document)).toBe(expected);
});

it('says that a page looks scripted where a field found nothing', () => {
  const parser = compileParser({ fields: { a: 'h1', b: 'h2' } });
  const body = `<h1>Lamp</h1>${BUNDLE}`;
  expect(extract(parser, { body }, { explain: true })).toMatchObject({ ok: true, looksScripted: true });
  expect(extract(parser, { body: `<h2>x</h2>${body}` }, { explain: true })).not.toHaveProperty(
    'looksScripted',
  );
  const facts = compileParser({ fields: { text: { page: 'text' }, at: { page: 'fetched_at' } } });
  expect(extract(facts, { body: BUNDLE })).toMatchObject({ ok: true, looksScripted: true });
  expect(extract(facts, { body: `${WORDS.repeat(15)}${BUNDLE}` })).not.toHaveProperty('looksScripted');
  const address = compileParser({ fields: { at: { page: 'final_url' } } });
  expect(extract(address, { body: BUNDLE })).not.toHaveProperty('looksScripted');
  const strict = { refusesEmpty: true };
  expect(extract(parser, { body: BUNDLE }, strict)).toMatchObject({ ok: false, looksScripted: true });
});
