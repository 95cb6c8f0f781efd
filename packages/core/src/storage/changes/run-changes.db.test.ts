import type { ChangeFilter } from '@gleaner/contracts';
import { afterAll, expect, it } from 'vitest';
import { runnerOf } from '../external/foreign-transaction.ts';
import { readRunChanges } from './read-run-changes.ts';
import { openFeed } from './testing/open-feed.ts';

const feeds = [await openFeed('managed'), await openFeed('external')] as const;
afterAll(async () => {
  for (const feed of feeds) await feed.close();
});

/** What each filter finds of the changes below. */
const FOUND: readonly [filter: ChangeFilter, skus: string[]][] = [
  [{}, ['fell', 'few', 'gone', 'new', 'rose', 'text']],
  [{ kinds: ['new'] }, ['new']],
  [{ kinds: ['new'], where: [{ column: 'price', op: 'falls' }] }, ['new']],
  [{ where: [{ column: 'price', op: 'changed' }] }, ['fell', 'few', 'gone', 'rose']],
  [{ where: [{ column: 'price', op: 'falls' }] }, ['fell', 'few']],
  [{ where: [{ column: 'price', op: 'falls', by: '5%' }] }, ['fell']],
  [{ where: [{ column: 'price', op: 'falls', by: 3.5 }] }, ['fell']],
  [{ where: [{ column: 'price', op: 'falls', by: 3.51 }] }, []],
  [{ where: [{ column: 'price', op: 'rises', by: '100%' }] }, ['rose']],
  [{ where: [{ column: 'price', op: 'rises', by: '100.1%' }] }, []],
  [{ where: [{ column: 'price', op: 'changed', by: 1 }] }, ['fell', 'rose']],
  [{ where: [{ column: 'price', op: 'crosses', value: 20 }] }, ['rose']],
  [{ where: [{ column: 'price', op: 'crosses', value: 46 }] }, ['fell']],
  [{ where: [{ column: 'price', op: 'crosses', value: 49 }] }, ['fell']],
  [{ where: [{ column: 'price', op: 'crosses', value: 45.5 }] }, []],
  [{ where: [{ column: 'tags', op: 'changed' }] }, ['text']],
  [{ where: [{ column: 'tags', op: 'rises' }] }, []],
  [{ where: [{ column: "it's", op: 'changed' }] }, []],
  [
    {
      where: [
        { column: 'price', op: 'rises' },
        { column: 'stock', op: 'changed' },
      ],
    },
    ['rose'],
  ],
];

it.each(feeds.map((feed) => [feed.schema, feed] as const))(
  'a run finds what it changed, as a filter says: %s',
  async (_name, feed) => {
    const before = await feed.open({ table: 'prices', history: true });
    await feed.save(before, [
      { sku: 'fell', price: 49 },
      { sku: 'few', price: 10 },
      { sku: 'gone', price: 5 },
      { sku: 'rose', price: 10, stock: 1 },
      { sku: 'same', price: 3 },
      { sku: 'text', tags: ['a'] },
    ]);
    const run = await feed.open({ table: 'prices', nulls: 'overwrite' }, 'bat_2');
    await feed.save(
      run,
      [
        { sku: 'fell', price: 45.5 },
        { sku: 'few', price: 9.9 },
        { sku: 'gone', price: null },
        { sku: 'rose', price: 20, stock: 0 },
        { sku: 'same', price: 3 },
        { sku: 'text', tags: ['b'] },
        { sku: 'new', price: 1 },
      ],
      { second: 1 },
    );
    const other = await feed.open({ table: 'prices' }, 'bat_3');
    await feed.save(other, [{ sku: 'same', price: 4 }], { second: 2 });
    const ask = { table: 'prices', runs: ['bat_2'], ageMs: 60_000, told: undefined };
    const sql = runnerOf(
      async ({ statements }) => {
        const last = statements.at(-1);
        return [[], [...(await feed.sql.unsafe(last?.text ?? '', [...(last?.parameters ?? [])]))]];
      },
      'read only',
      'SELECT 1',
    );
    const filters = FOUND.map(([filter]) => filter);
    const answer = await readRunChanges(sql, feed.schema, { ...ask, filters });
    const found = answer?.found.map(({ changes }) => changes.map(({ key }) => String(key['sku'])).toSorted());
    expect(found).toEqual(FOUND.map(([, skus]) => skus));
    expect(answer?.found[0]?.counts).toEqual({ new: 1, changed: 5, removed: 0, returned: 0 });
    // What was told is not told again.
    const again = await readRunChanges(sql, feed.schema, { ...ask, told: answer?.place, filters: [{}] });
    expect(again?.found).toEqual([{ counts: { new: 0, changed: 0, removed: 0, returned: 0 }, changes: [] }]);
    expect(await readRunChanges(sql, feed.schema, { ...ask, table: 'none', filters: [{}] })).toBeUndefined();
  },
);
