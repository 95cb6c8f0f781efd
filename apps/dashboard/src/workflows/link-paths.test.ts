import type { Fields } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { linkPathsOf } from './stages.ts';

it('finds the addresses in the results of a parser', () => {
  const fields = {
    title: 'h1',
    next: 'a.next@href',
    self: { page: 'final_url', type: 'url' },
    items: {
      css: 'li',
      take: 'all',
      fields: {
        name: 'b',
        url: { css: ['a.main@href', 'a@href'] },
        more: { css: 'i', take: 'all', attr: 'href' },
      },
    },
    all: { page: 'links' },
    first: { page: 'links', take: 'first' },
    image: 'img@src',
    photo: { css: ['img@data-src', 'img@src'], type: 'url' },
    logo: { any: [{ meta: 'og:logo' }, { css: 'img', attr: 'srcset' }], type: 'url' },
  } satisfies Fields;
  expect(linkPathsOf(fields)).toEqual([
    '$.next',
    '$.self',
    '$.items[*].url',
    '$.items[*].more[*]',
    '$.all[*]',
    '$.first',
  ]);
});
