import { expect, it } from 'vitest';
import { keyOfSearch, readTargetSearch } from './search.ts';
import { choiceOfSink, lackOfSink, sinkOfChoice, tableNameOf } from './sink.ts';
import { keyOfTarget, targetOfKey, type Target } from './target.ts';

it('reads the target of a choice back', () => {
  const targets: Target[] = [
    { type: 'parser', parserId: 'prs_1' },
    { type: 'api', id: 'videosite-video' },
    { type: 'workflow', workflowId: 'wfl_1' },
  ];
  expect(targets.map((target) => targetOfKey(keyOfTarget(target)))).toEqual(targets);
  expect([null, 'parser:', 'other:1'].map(targetOfKey)).toEqual([undefined, undefined, undefined]);
});

it('starts a form with what its address names', () => {
  const search = readTargetSearch({ parser: 'prs_1', api: 7, batch: 'bat_1', other: 'x' });
  expect(search).toEqual({ parser: 'prs_1', batch: 'bat_1' });
  expect(keyOfSearch(search)).toBe('parser:prs_1');
  expect(keyOfSearch({ api: 'videosite-video' })).toBe('api:videosite-video');
  expect(keyOfSearch({})).toBeNull();
});

it('writes a sink only where rows go to a database', () => {
  expect(sinkOfChoice({ database: null, table: 'a' })).toBeUndefined();
  expect(sinkOfChoice({ database: 'db_1', table: 'a' })).toEqual({
    mode: 'database',
    database: 'db_1',
    table: 'a',
  });
  expect(sinkOfChoice({ database: 'db_1', table: 'a', onDrift: 'quarantine' })).toMatchObject({
    on_drift: 'quarantine',
  });
  expect(lackOfSink({ database: 'db_1', table: 'a_1' })).toBeUndefined();
  const keyed = { database: 'db_1', table: 'a', key: ['_url', 'sku'] };
  expect(sinkOfChoice(keyed)).toMatchObject({ key: ['_url', 'sku'] });
  expect(choiceOfSink(sinkOfChoice(keyed) ?? null)).toEqual(keyed);
  expect(sinkOfChoice({ ...keyed, key: [] })).not.toHaveProperty('key');
  expect(lackOfSink({ ...keyed, key: ['the sku'] })).toMatch(/^The name of the column the sku/);
  const types = { price: 'numeric(10,2)' };
  const typed = { database: 'db_1', table: 'a', types };
  expect(sinkOfChoice(typed)).toMatchObject({ types });
  expect(choiceOfSink(sinkOfChoice(typed) ?? null)).toEqual(typed);
  const kept = { database: 'db_1', table: 'a', history: { missing: 'delete', removed: 0.5 } } as const;
  expect(sinkOfChoice(kept)).toMatchObject({ history: true, missing: 'delete', expect: { removed: 0.5 } });
  expect(choiceOfSink(sinkOfChoice(kept) ?? null)).toEqual(kept);
  expect(lackOfSink({ ...typed, types: { price: 'money' } })).toBe('Choose a type for the column price.');
  expect(lackOfSink({ ...typed, types: { 'the price': 'text' } })).toMatch(
    /^The name of the column the price/,
  );
  expect(lackOfSink({ database: 'db_1', table: '1a' })).toMatch(/not start with a digit/);
  expect(lackOfSink({ database: 'db_1', table: '' })).toMatch(/Name the table/);
  expect(lackOfSink({ database: null, table: '' })).toMatch(/Choose a database/);
});

it.each([
  ['Kettle prices', 'kettle_prices'],
  ['  Größe & Preis! ', 'gro_e_preis'],
  ['2024 list', 't_2024_list'],
  ['价格', 'results'],
  ['a'.repeat(80), 'a'.repeat(60)],
])('the table for %j is named %s', (name, table) => {
  expect(tableNameOf(name)).toBe(table);
});
