import { expect, it } from 'vitest';
import { findsOf, findTables, VIEWS, WORDS } from './palette-finds.ts';
import { PLACES } from './places.ts';

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

it.each([
  ['map a site', 'New crawl'],
  ['schedule', 'New cron'],
  ['failed', 'Runs with failures'],
  ['costs', 'Credits'],
  ['usage', 'Credits'],
  ['api key', 'Keys'],
  ['email', 'Alerts'],
  ['slack', 'Alerts'],
  ['collections', 'Today'],
  ['export', 'Databases'],
  ['price drop', 'Watch a page'],
  ['what changed', 'Today'],
  ['memory', 'Operator'],
])('“%s” finds %s', (text, label) => {
  expect(WORDS[label]).toContain(text);
});

it('has other words for pages of the side bar and commands alone', () => {
  const places = PLACES.map((place) => place.label);
  const known = [...places, ...VIEWS.map((view) => view.label)];
  expect(Object.keys(WORDS).filter((label) => !known.includes(label) && !label.startsWith('New '))).toEqual(
    [],
  );
});

it('finds tables by their names, each once', () => {
  const tables = [
    { database: 'db_1', table: 'blue_mug' },
    { database: 'db_1', table: 'mugs_detail' },
    { database: 'db_2', table: 'mugs_detail' },
    { database: 'db_1', table: 'mugs_detail' },
    { database: null, table: null },
  ];
  const found = findTables('Mugs_d', tables);
  expect(found.map(({ label, to }) => [label, to.params])).toEqual([
    ['mugs_detail', { databaseId: 'db_1', table: 'mugs_detail' }],
    ['mugs_detail', { databaseId: 'db_2', table: 'mugs_detail' }],
  ]);
  expect(findTables('zzz', tables)).toEqual([]);
});
