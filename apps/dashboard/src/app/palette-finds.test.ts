import { expect, it } from 'vitest';
import { findsOf } from './palette-finds.ts';

const TABLE = {
  database: 'db_1',
  name: 'kettles',
  columns: [
    { name: '_url', type: 'text' },
    { name: 'maker', type: 'text' },
    { name: 'title', type: 'text' },
    { name: 'price', type: 'numeric' },
  ],
};

it('opens records by their identifiers', () => {
  const placeOf = (text: string) => findsOf(text, [TABLE])[0]?.to.to;
  expect(placeOf('bat_01kap2v6w3h8y0qd5c9r4n7jzx')).toBe('/runs/batches/$batchId');
  expect(placeOf('crn_01kap2v6w3h8y0qd5c9r4n7jzx')).toBe('/collections/$collectionId');
  expect(placeOf('whk_01kap2v6w3h8y0qd5c9r4n7jzx')).toBe('/databases/$databaseId/$table');
});

it('offers what can be done with an address, and opens nothing by itself', () => {
  expect(findsOf('https://shop.example/kettle', [TABLE]).map(({ to }) => [to.to, to.search])).toEqual([
    ['/parsers/new', { open: 'https://shop.example/kettle' }],
    ['/watch', { url: 'https://shop.example/kettle' }],
    ['/runs', { search: 'https://shop.example/kettle' }],
  ]);
});

it('finds values in the titles of tables', () => {
  const [find] = findsOf('blue', [TABLE]);
  expect(find?.label).toBe('Rows of kettles with “blue”');
  expect(find?.to.search).toEqual({ filter: '{"title":{"contains":"blue"}}' });
  expect(findsOf('bl', [TABLE])).toEqual([]);
  expect(findsOf('blue', [{ ...TABLE, columns: [{ name: 'price', type: 'numeric' }] }])).toEqual([]);
});
