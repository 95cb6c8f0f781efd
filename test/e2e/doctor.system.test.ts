import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { S3_KEYS, startS3 } from '@gleaner/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../processes/redis.ts';
import { processFile } from '../system/process-file.ts';

const MAIN = processFile('cli');
const root = mkdtempSync(join(tmpdir(), 'gleaner-doctor-'));
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

async function doctor(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'doctor', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Chromium has tests of its own; these are about the rest. */
const PLAIN = { GLEANER_WORKER_QUEUES: 'http' };

// Each check has a time limit, which a busy machine may miss.
test('a good installation has no fault, and its browser loads a page', { retry: 2 }, async () => {
  const { code, stdout, stderr } = await doctor({ DATABASE_URL: database.url }, '--json');
  expect(code, stdout + stderr).toBe(0);
  const answer = JSON.parse(stdout) as { ok: boolean; findings: { check: string; state: string }[] };
  expect(answer.ok).toBe(true);
  const states = Object.fromEntries(answer.findings.map(({ check, state }) => [check, state]));
  const mustBeOk = ['settings', 'postgres', 'postgres connections', 'clock', 'migrations'];
  for (const check of [...mustBeOk, 'chromium']) expect(states[check], check).toBe('ok');
  expect(['ok', 'warning']).toContain(states['chromium sandbox']);
});

test(
  'a superuser is a warning that names the page about users; a plain owner is none',
  { retry: 2 },
  async () => {
    const superuser = await doctor({ ...PLAIN, DATABASE_URL: database.url });
    expect(superuser.code, superuser.stdout).toBe(0);
    expect(superuser.stdout).toMatch(
      /^warning +postgres rights: .*superuser.*\n +→ .*docs\/operate\/deploy\.md/m,
    );
    const { sql } = database.db;
    const role = `doctor_${process.pid}`;
    await sql.unsafe(`CREATE ROLE ${role} LOGIN CREATEROLE PASSWORD 'doctor'`);
    const url = new URL(database.url);
    await sql.unsafe(`GRANT ALL ON DATABASE ${url.pathname.slice(1)} TO ${role}; GRANT USAGE ON SCHEMA gleaner TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA gleaner TO ${role}`);
    [url.username, url.password] = [role, 'doctor'];
    try {
      const plain = await doctor({ ...PLAIN, DATABASE_URL: url.href });
      expect(plain.stdout).toMatch(/^ok +postgres rights: the user has CREATEROLE/m);
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  },
);

test('a wrong DATABASE_URL is a fault that names host and remedy, and no password', async () => {
  const refused = await doctor({ ...PLAIN, DATABASE_URL: 'postgres://someone:geheim@127.0.0.1:1/gleaner' });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/^fault +postgres: .*127\.0\.0\.1:1 .*\n +→ Check DATABASE_URL/m);
  expect(refused.stdout + refused.stderr).not.toContain('geheim');
  const malformed = await doctor({ ...PLAIN, DATABASE_URL: 'mysql://127.0.0.1/gleaner' });
  expect(malformed.code).toBe(1);
  expect(malformed.stdout).toMatch(/^fault +settings: DATABASE_URL: must be a URL starting with postgres/m);
});

test('a database that was not migrated is a fault', async () => {
  const empty = await createTestDatabase();
  await empty.db.sql`DROP SCHEMA gleaner CASCADE`;
  const { code, stdout } = await doctor({ ...PLAIN, DATABASE_URL: empty.url });
  await empty.close();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fault +migrations: .*\n +→ Run: gleaner migrate/m);
});

test('a bucket that refuses objects is a fault; one that takes them is fine', { retry: 2 }, async () => {
  const s3 = await startS3();
  const env = { ...PLAIN, DATABASE_URL: database.url, GLEANER_S3_URL: s3.url };
  const keys = { GLEANER_S3_ACCESS_KEY: S3_KEYS.accessKey, GLEANER_S3_SECRET_KEY: S3_KEYS.secretKey };
  const good = await doctor({ ...env, ...keys });
  const faulty = await doctor({ ...env, ...keys, GLEANER_S3_SECRET_KEY: 'wrong' });
  await s3.close();
  expect(good.stdout).toMatch(/^ok +kept pages: the bucket at 127\.0\.0\.1/m);
  expect(faulty.code).toBe(1);
  expect(faulty.stdout).toMatch(/^fault +kept pages: .*answered 403.*\n +→ .*GLEANER_S3_URL/m);
});

test('a Redis that evicts keys is a fault; one that does not is fine', async (context) => {
  const evicting = await startRedis({ evictionPolicy: 'allkeys-lru' });
  if ('missing' in evicting) return context.skip(evicting.missing);
  const env = { ...PLAIN, DATABASE_URL: database.url, REDIS_URL: evicting.url };
  const faulty = await doctor(env);
  await evicting.stop();
  expect(faulty.code).toBe(1);
  expect(faulty.stdout).toMatch(/^fault +redis eviction: .*allkeys-lru.*\n +→ .*noeviction/m);
  const stopped = await doctor(env);
  expect(stopped.code).toBe(1);
  expect(stopped.stdout).toMatch(/^fault +redis: .*ECONNREFUSED/m);
  const keeping = await startRedis();
  if ('missing' in keeping) return context.skip(keeping.missing);
  const good = await doctor({ ...env, REDIS_URL: keeping.url });
  await keeping.stop();
  expect(good.code, good.stdout).toBe(0);
});
