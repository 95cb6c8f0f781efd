import { createTestDatabase } from '@gleaner/db/testing';
import { expect, it } from 'vitest';
import { forgetSecretKey, isSecretKeyOf } from './seal.ts';

it('accepts only the first key of a database', async () => {
  const { db, close } = await createTestDatabase();
  const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)];
  expect(await isSecretKeyOf(db, first)).toBe(true);
  expect(await isSecretKeyOf(db, second)).toBe(false);
  expect(await isSecretKeyOf(db, first.toUpperCase())).toBe(true);
  const [row] = await db.sql`SELECT value FROM gleaner.settings WHERE name = 'secret_check'`;
  expect(Buffer.from(String(row?.value), 'base64').toString('latin1')).not.toContain('gleaner');
  await forgetSecretKey(db);
  expect(await isSecretKeyOf(db, second)).toBe(true);
  expect(await isSecretKeyOf(db, first)).toBe(false);
  await close();
});
