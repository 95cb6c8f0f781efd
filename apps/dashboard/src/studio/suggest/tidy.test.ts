import { expect, it } from 'vitest';
import { tidySchema } from './tidy.ts';

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
