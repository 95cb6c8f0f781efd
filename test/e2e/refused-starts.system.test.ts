import { join } from 'node:path';
import { isSecretKeyOf } from '@gleaner/core';
import { createTestDatabase } from '@gleaner/db/testing';
import { expect, test } from 'vitest';
import { startProcess } from '../processes/process.ts';
import { PROCESS_ENV, processFile } from '../system/process-file.ts';

const root = join(import.meta.dirname, '../..');

test.each(['api', 'worker'] as const)(
  '%s does not start with another secret key than its database was first used with',
  async (app) => {
    const { db, url, close } = await createTestDatabase();
    await isSecretKeyOf(db, 'ab'.repeat(32));
    const started = startProcess({
      name: app,
      command: process.execPath,
      args: [processFile(app)],
      cwd: root,
      env: { ...PROCESS_ENV, DATABASE_URL: url, PORT: '0', GLEANER_SECRET_KEY: 'cd'.repeat(32) },
      isReady: () => false,
      readyWithinMs: 120_000,
    });
    await expect(started).rejects.toThrow('GLEANER_SECRET_KEY cannot decrypt the secrets of this database');
    await close();
  },
);

test('a process reports that its database was never migrated', async () => {
  const { db, url, close } = await createTestDatabase();
  await db.sql`DROP SCHEMA gleaner CASCADE`;
  const started = startProcess({
    name: 'worker',
    command: process.execPath,
    args: [processFile('worker')],
    cwd: root,
    env: { ...PROCESS_ENV, DATABASE_URL: url, GLEANER_SECRET_KEY: 'cd'.repeat(32) },
    isReady: () => false,
    readyWithinMs: 120_000,
  });
  await expect(started).rejects.toThrow('the database has no tables of Gleaner; run: gleaner migrate');
  await close();
});
