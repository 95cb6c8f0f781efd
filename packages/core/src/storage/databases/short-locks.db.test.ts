import { createDatabase } from '@gleaner/db';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { openSinkWriter } from '../sinks/sink-writer.ts';
import { createDatabaseCredentials } from './reader-login.ts';
import { deleteDatabase, dropTable } from './change-databases.ts';
import { untilUnlocked } from './short-locks.ts';
import { createTestExternal, none, openTestDatabases } from './testing/test-databases.ts';

const { sql, test, ctx, createManaged, createProducts, close } = await openTestDatabases();
/** All that is done here shares one connection. */
const db = createDatabase(test.url, { max: 1 });
const external = createTestExternal();
afterAll(async () => {
  await external.close();
  await db.close();
  await close();
});

async function createLocked() {
  const { id } = await createManaged();
  await createProducts(id);
  const gate = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  // Another session of the service, which nobody ends.
  const held = sql.begin(async (tx) => {
    await tx.unsafe(`SELECT count(*) FROM "${id}".products`);
    isHeld.resolve();
    await gate.promise;
  });
  await isHeld.promise;
  return { id, release: () => (gate.resolve(), held) };
}

async function addColumn(id: string): Promise<boolean> {
  const columns = [
    { name: 'sku', type: 'text', key: true, nullable: true },
    { name: 'fresh', type: 'text', key: false, nullable: true },
  ] as const;
  const sink = {
    mode: 'database',
    database: id,
    table: 'products',
    contract: 'evolve',
    nulls: 'keep',
  } as const;
  const open = { accountId: ctx.accountId, runId: 'job_1', sink: { ...sink, key: ['_url', 'sku'] }, columns };
  return (await openSinkWriter({ db, external }, open)).prepare();
}

it.each([
  ['a new column', addColumn],
  [
    'dropping a table',
    (id: string) =>
      dropTable(
        { ...ctx, services: { ...ctx.services, db } },
        { ...none, params: { id, table: 'products' } },
      ),
  ],
  [
    'deleting a database',
    (id: string) =>
      deleteDatabase({ ...ctx, services: { ...ctx.services, db } }, { ...none, params: { id } }),
  ],
])('waits for a locked table without a connection: %s', async (_, change) => {
  const { id, release } = await createLocked();
  let isDone = false;
  const changing = change(id).then(() => (isDone = true));
  const isTried = () =>
    sql`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = ${`"${id}".products`}::regclass`;
  await expect.poll(isTried).toHaveLength(1);
  // What another account's work needs the connection for.
  for (let count = 0; count < 3; count += 1) await db.sql`SELECT 1`;
  expect(isDone).toBe(false);
  await release();
  await changing;
});

it('ends the reader that keeps a table, and no other', async () => {
  const { id } = await createManaged();
  await createProducts(id);
  const { id: otherId } = await createManaged();
  await createProducts(otherId);
  const readers: postgres.Sql[] = [];
  for (const one of [id, otherId]) {
    const login = await createDatabaseCredentials(ctx, { ...none, params: { id: one } });
    const reader = postgres(login.connection_url, { max: 1, onnotice: () => undefined });
    await reader.unsafe('BEGIN; SELECT count(*) FROM products');
    readers.push(reader);
  }
  const lock = () =>
    db.sql.begin((tx) =>
      tx.unsafe(`SET LOCAL lock_timeout = '50ms'; LOCK TABLE "${id}".products IN ACCESS EXCLUSIVE MODE`),
    );
  await untilUnlocked({ db, schema: id }, lock, { graceMs: 0 });
  const left =
    await sql`SELECT usename FROM pg_stat_activity WHERE usename = ANY(${[`${id}_reader`, `${otherId}_reader`]})`;
  expect(left).toEqual([{ usename: `${otherId}_reader` }]);
  await Promise.all(readers.map((reader) => reader.end({ timeout: 0 })));
});
