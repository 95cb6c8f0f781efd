import { MAX_DELETED_ROWS } from '@gleaner/contracts';
import { createElsewhere } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { createDatabase } from './change-databases.ts';
import { deleteRows } from './delete-rows.ts';
import { none, openTestDatabases } from './testing/test-databases.ts';

const { sql, ctx, stranger, createManaged, createProducts, close } = await openTestDatabases();
const elsewhere = await createElsewhere();
afterAll(async () => {
  await close();
  await elsewhere.close();
});

const MANAGED = (await createManaged()).id;
await createProducts(MANAGED);
const body = { name: 'theirs', kind: 'postgres', connection_url: elsewhere.url } as const;
const EXTERNAL = (await createDatabase(ctx, { ...none, body })).id;
await elsewhere.db.sql.unsafe(
  'CREATE TABLE products (_url text PRIMARY KEY, price double precision) PARTITION BY HASH (_url)',
);
for (const place of [0, 1])
  await elsewhere.db.sql.unsafe(
    `CREATE TABLE products_${place} PARTITION OF products FOR VALUES WITH (MODULUS 2, REMAINDER ${place})`,
  );

function remove(
  id: string,
  filter: object,
  rest: { count?: number; dry_run?: boolean },
  by = ctx,
): Promise<{ count: number }> {
  const query = { filter: JSON.stringify(filter), count: undefined, dry_run: false, ...rest };
  return deleteRows(by, { ...none, params: { id, table: 'products' }, query });
}

it.each([
  [
    'managed',
    MANAGED,
    sql,
    `"${MANAGED}".products`,
    '_url, _fetched_at, _run_id, sku, price',
    `now(), 'r', 's', `,
  ],
  ['external', EXTERNAL, elsewhere.db.sql, 'products', '_url, price', ''],
])(
  'rows of a %s table that match are deleted, and no others',
  async (_kind, id, where, table, names, more) => {
    await where.unsafe(
      `INSERT INTO ${table} (${names}) SELECT 'http://' || n, ${more} n FROM generate_series(1, 30) n`,
    );
    const filter = { price: { lte: 12 } };
    expect(await remove(id, filter, { dry_run: true })).toEqual({ count: 12 });
    for (const count of [0, 11, 13, MAX_DELETED_ROWS])
      await expect(remove(id, filter, { count })).rejects.toMatchObject({ code: 'count_changed' });
    expect(await remove(id, filter, { dry_run: true })).toEqual({ count: 12 });
    expect(await remove(id, filter, { count: 12 })).toEqual({ count: 12 });
    expect(await remove(id, filter, { count: 0 })).toEqual({ count: 0 });
    expect([...(await where.unsafe(`SELECT count(*)::int AS n, min(price) AS least FROM ${table}`))]).toEqual(
      [{ n: 18, least: 13 }],
    );
  },
);

it('a filter without a condition, a wrong one and another account’s table are refused', async () => {
  for (const [filter, field] of [
    [{}, 'filter'],
    [{ color: 'red' }, 'filter.color'],
    [{ price: { near: 1 } }, 'filter.price.near'],
  ] as const)
    await expect(remove(MANAGED, filter, { count: 1 })).rejects.toMatchObject({ options: { field } });
  await expect(remove(MANAGED, { price: 1 }, { count: 1 }, stranger)).rejects.toMatchObject({
    code: 'not_found',
  });
});
