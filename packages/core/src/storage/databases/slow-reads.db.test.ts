import { createDatabase as openPool } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { listRows } from './index.ts';
import { none, openTestDatabases } from './testing/test-databases.ts';

const { test, ctx, stranger, createManaged, createProducts, close } = await openTestDatabases();
const holder = openPool(test.url, { max: 1 });
afterAll(async () => {
  await holder.close();
  await close();
});

it('one account’s slow reads leave connections to the others', async () => {
  const [slow, quick] = [await createManaged('slow'), await createManaged('quick', stranger)];
  for (const { id } of [slow, quick]) await createProducts(id);
  const query = { params: { id: slow.id, table: 'products' }, query: { limit: 1 } };
  const held = await holder.sql.begin(async (tx) => {
    await tx.unsafe(`LOCK TABLE "${slow.id}".products`);
    const all = Array.from({ length: 40 }, () => listRows(ctx, { ...none, ...query }));
    const { rows } = await listRows(stranger, {
      ...none,
      ...query,
      params: { id: quick.id, table: 'products' },
    });
    expect(rows).toEqual([]);
    return { all };
  });
  for (const { rows } of await Promise.all(held.all)) expect(rows).toEqual([]);
});
