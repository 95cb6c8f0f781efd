import { expect, it } from 'vitest';
import { sureFields, tidySchema } from './tidy.ts';

it('takes the fields that are sure, and all when none is', () => {
  const rest = { reason: '', alternatives: [], missed: [] };
  const one = { path: 'title', confidence: 0.9, ...rest };
  const two = { path: 'note', confidence: 0.2, ...rest };
  const schema = { fields: { title: 'h1', note: 'i' } };
  expect(sureFields({ schema, fields: [one, two], data: null })).toEqual({ title: 'h1' });
  expect(sureFields({ schema, fields: [two], data: null })).toEqual(schema.fields);
  expect(sureFields({ schema: null, fields: [], data: null })).toBeUndefined();
});

it('keeps few fallbacks, makes prices numbers and leaves out columns that repeat', () => {
  const schema = {
    fields: {
      title: {
        any: [
          { css: 'h1', transform: ['collapse' as const] },
          { css: '.t', attr: 'title', transform: ['collapse' as const] },
          { css: 'main h1' },
          { xpath: '//h1' },
          { css: '#t' },
        ],
      },
      name: { any: [{ jsonld: '$.name' }, { css: 'b + i' }, { meta: 'name' }] },
      items: {
        css: ['.a', '.b', 'p + p', '.d'],
        take: 'all' as const,
        fields: {
          url: { css: 'a', attr: 'href' },
          url_2: { css: 'h2 a', attr: 'href' },
          price: { css: '.price', transform: ['collapse' as const] },
        },
      },
    },
  };
  const items = [
    { url: '/1', url_2: '/1', price: '12,50 €' },
    { url: '/2', url_2: '/2', price: null },
  ];
  expect(tidySchema(schema, { title: 'Mugs', items })).toEqual({
    fields: {
      title: { css: ['h1', '.t@title', '#t'] },
      name: { any: [{ jsonld: '$.name' }, { meta: 'name' }] },
      items: {
        css: ['.a', '.b', '.d'],
        take: 'all',
        fields: { url: { css: 'a@href', type: 'url' }, price: { css: '.price', type: 'number' } },
      },
    },
  });
});
