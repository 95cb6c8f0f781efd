import { randomBytes } from 'node:crypto';
import { createDatabase as connectDatabase } from '@gleaner/db';
import { createTestDatabase } from '@gleaner/db/testing';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { createAccount } from '../../accounts/change-accounts.ts';
import { prepareDatabase } from '../../platform/process/run-process.ts';
import { createDatabase, deleteDatabase } from './change-databases.ts';
import { createDatabaseCredentials } from './reader-login.ts';
import { none, openTestDatabases } from './testing/test-databases.ts';

const owned = await createTestDatabase({ isEmpty: true });
const others = await openTestDatabases();
const owner = `owner_${randomBytes(4).toString('hex')}`;
await owned.db.sql.unsafe(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'secret';
  ALTER DATABASE ${owned.db.sql.options.database} OWNER TO ${owner}`);
const url = Object.assign(new URL(owned.url), { username: owner, password: 'secret' });
const db = connectDatabase(url.href);
afterAll(async () => {
  await db.close();
  await owned.db.sql.unsafe(`DROP OWNED BY ${owner} CASCADE`);
  await owned.db.sql.unsafe(`ALTER DATABASE ${owned.db.sql.options.database} OWNER TO CURRENT_USER`);
  await owned.close();
  await others.sql.unsafe(`DROP ROLE IF EXISTS ${owner}`);
  await others.close();
});

it('migrates, and keeps databases and their logins, as an owner with CREATEROLE who is no superuser', async () => {
  await prepareDatabase(url.href);
  await prepareDatabase(url.href);
  const { account } = await createAccount(db, { name: 'owned', credits: 0 });
  const ctx = { ...others.ctx, accountId: account.id, services: { ...others.ctx.services, db } };
  const made = await createDatabase(ctx, { ...none, body: { name: 'mine', kind: 'managed' } });
  await db.sql.unsafe(`CREATE TABLE "${made.id}".things AS SELECT 1 AS a`);
  const input = { ...none, params: { id: made.id } };
  await createDatabaseCredentials(ctx, input);
  const { user, password } = await createDatabaseCredentials(ctx, input);
  const reader = postgres(Object.assign(new URL(owned.url), { username: user, password }).href, { max: 1 });
  try {
    expect(await reader`SELECT a FROM things`).toEqual([{ a: 1 }]);
    expect(await reader`SHOW work_mem`).toEqual([{ work_mem: '16MB' }]);
    await expect(reader`SELECT * FROM gleaner.accounts`).rejects.toMatchObject({ code: '42501' });
  } finally {
    await reader.end({ timeout: 1 });
  }
  await deleteDatabase(ctx, input);
  expect(await db.sql`SELECT 1 FROM pg_roles WHERE rolname = ${user}`).toEqual([]);
});
