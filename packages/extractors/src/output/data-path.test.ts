import type { ParserSchema } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { compileDataPath, findValues, resolvePathSchemas } from './data-path.ts';
import { outputSchema } from './output-schema.ts';

const schema: ParserSchema = {
  fields: {
    title: 'h1',
    count: { css: 'i', type: 'integer' },
    raw: { css: 's', type: 'json' },
    items: {
      css: 'li',
      take: 'all',
      fields: { url: { css: 'a@href', type: 'url' }, price: { css: 'b', type: 'number' } },
    },
    links: { css: 'a@href', take: 'all' },
  },
};

it.each([
  ['$.items[*].url', ['string']],
  ['$.items[0].price', ['number']],
  ['$.items[:5].url', ['string']],
  ['$.links', ['array']],
  ['$.links[*]', ['string']],
  // The field of type json may hold anything.
  ['$..url', [undefined, 'string']],
  ['$.*', ['string', 'integer', undefined, 'array', 'array']],
  ['$.raw.anything[3]', [undefined]],
  ['$["title"]', ['string']],
])('%s finds values of %j', (path, types) => {
  const found = resolvePathSchemas(compileDataPath(path), outputSchema(schema));
  expect('schemas' in found && found.schemas.map(({ type }) => type)).toEqual(types);
});

it.each([
  ['$.item[*].url', 'there are title, count, raw, items, links'],
  ['$.items.url', 'there is array'],
  ['$.items[*].href', 'there are url, price'],
  ['$.title.x', 'there is string'],
  ['$.links[*][0]', 'there is string'],
])('%s can find nothing: %s', (path, reason) => {
  const found = resolvePathSchemas(compileDataPath(path), outputSchema(schema));
  expect(found).toEqual({ fault: expect.stringContaining(reason) });
});

it.each(['items', '$.items[?@.url]', '$.items[*,*]', '$..a..b', `$${'.a'.repeat(21)}`])(
  '%s is refused',
  (path) => {
    expect(() => compileDataPath(path)).toThrow();
  },
);

it('finds values with their places', () => {
  const data = { items: [{ url: 'a' }, { url: null }, { url: 'c' }] };
  expect(findValues(compileDataPath('$.items[*].url'), data)).toEqual([
    { value: 'a', location: ['items', 0, 'url'] },
    { value: null, location: ['items', 1, 'url'] },
    { value: 'c', location: ['items', 2, 'url'] },
  ]);
});
