import type { ParserSchema } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from './extract.ts';

function read(fields: ParserSchema['fields'], html: string, rowsAt?: string): unknown {
  const found = extract(compileParser({ fields }), { body: html }, { rowsAt });
  return found.ok ? found.data : found.failure;
}

const TAGS = { tags: { css: '.tags li', take: 'all' as const } };

it('makes a list null that matched nothing, where its object becomes a row', () => {
  expect(read(TAGS, '<ul class="tags"></ul>')).toEqual({ tags: [] });
  expect(read(TAGS, '<ul class="tags"></ul>', '')).toEqual({ tags: null });
  // An element matched, although it has no text.
  expect(read(TAGS, '<ul class="tags"><li></ul>', '')).toEqual({ tags: [] });
  expect(read({ tags: { ...TAGS.tags, default: ['none'] } }, '', '')).toEqual({ tags: ['none'] });
});

it('takes an empty JSON list for a match, at its items and whole', () => {
  const json = (path: string) => ({ tags: { json: { script: '#d', path }, take: 'all' as const } });
  const page = (text: string) => `<script id="d" type="application/json">${text}</script>`;
  for (const path of ['$.tags[*]', '$.tags']) {
    expect(read(json(path), page('{"tags": []}'), '')).toEqual({ tags: [] });
    expect(read(json(path), page('{}'), '')).toEqual({ tags: null });
  }
});

it('makes a group null as a whole, and keeps one with a value as it is', () => {
  const fields = { offer: { fields: { price: '.price', sizes: { css: '.size', take: 'all' as const } } } };
  expect(read(fields, '<p>', '')).toEqual({ offer: null });
  expect(read(fields, '<p>')).toEqual({ offer: { price: null, sizes: [] } });
  expect(read(fields, '<p class="price">12</p>', '')).toEqual({ offer: { price: '12', sizes: [] } });
});

it('looks at the rows of a list, each for itself, and at no list within a value', () => {
  const fields = { items: { css: '.item', take: 'all' as const, fields: { name: 'b', ...TAGS } } };
  const html = '<div class="item"><b>a</b></div><div class="item"><b>b</b><ul class="tags"><li>x</ul></div>';
  const rows = (tags: unknown) => ({
    items: [
      { name: 'a', tags },
      { name: 'b', tags: ['x'] },
    ],
  });
  expect(read(fields, html, 'items')).toEqual(rows(null));
  expect(read(fields, html, '')).toEqual(rows([]));
});
