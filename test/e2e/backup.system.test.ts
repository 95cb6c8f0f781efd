import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rename, rm, stat, truncate, copyFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findViolations } from '@gleaner/core/find-violations';
import { createDatabase } from '@gleaner/db';
import { freePort } from '@gleaner/embedded-postgres/free-port';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProcess, type RunningProcess } from '../processes/process.ts';
import { COMPILED, processFile } from '../system/process-file.ts';
import { callApi } from '../system/start-system.ts';
import { until } from '../system/until.ts';

const PAGES = 120;
const SCHEMA = { fields: { title: { css: 'h1', required: true } } };

let place = '';
let site: Server;
/** The site answers the second half of the pages after this, so the batch can't end before. */
const backupMade = Promise.withResolvers<void>();
let service: RunningProcess | undefined;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'gleaner-backup-'));
  await chmod(place, 0o711);
  site = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://site');
    const n = Number(searchParams.get('n'));
    if (n >= PAGES / 2) await backupMade.promise;
    setTimeout(() => response.end(`<h1>Item ${n}</h1>`), 60);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  await service?.kill();
  site.closeAllConnections();
  site.close();
  await rm(place, { recursive: true, force: true });
});

function environment(dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    NODE_COMPILE_CACHE: COMPILED,
    GLEANER_DATA_DIR: dataDir,
    GLEANER_EGRESS_ALLOW: '127.0.0.1/32',
    GLEANER_WORKER_QUEUES: 'http',
    GLEANER_WORKERS: '1',
  };
}

async function start(dataDir: string): Promise<RunningProcess> {
  service = await startProcess({
    name: 'gleaner start',
    command: process.execPath,
    args: [processFile('cli'), 'start'],
    env: { ...environment(dataDir), PORT: String(await freePort()) },
    isReady: (output) => output.includes('Gleaner is ready'),
    readyWithinMs: 180_000,
  });
  return service;
}

function run(dataDir: string, ...words: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [processFile('cli'), ...words], {
    env: environment(dataDir),
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

interface Credentials {
  base_url: string;
  api_key: string;
}

async function client(dataDir: string) {
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  const { base_url: baseUrl, api_key: key } = credentials;
  const runtime = JSON.parse(await readFile(join(dataDir, 'runtime.json'), 'utf8')) as {
    base_url: string;
    database_url: string;
  };
  return {
    databaseUrl: runtime.database_url,
    call: async (method: string, path: string, body?: object) => {
      const answer = await callApi(runtime.base_url ?? baseUrl, key, { method, path, body });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.json as Record<string, unknown>;
    },
  };
}

it('a batch goes on after its data folder was lost, from a backup that was made while it ran', async () => {
  const lost = join(place, 'lost');
  const kept = join(place, 'kept');
  const file = join(place, 'backup.tar.zst');
  await start(lost);
  const before = await client(lost);
  const { id: parserId } = await before.call('POST', '/v1/parsers', { name: 'p', schema: SCHEMA });
  const { port } = site.address() as AddressInfo;
  const urls = Array.from({ length: PAGES }, (_, n) => `http://127.0.0.1:${port}/?n=${n}`);
  const target = { type: 'parser', parserId };
  // Sealed headers: without the key of the backup the batch could not go on.
  const batch = await before.call('POST', '/v1/batches', {
    target,
    urls,
    scrape_config: { headers: { 'x-own': 'secret' } },
  });
  const path = `/v1/batches/${String(batch.id)}`;
  const succeeded = async (by: typeof before) =>
    ((await by.call('GET', path)).counts as { succeeded: number }).succeeded;
  await until('some pages are done', async () => (await succeeded(before)) > 20);
  const made = run(lost, 'backup', file);
  expect(made, made.output).toMatchObject({ status: 0 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const atBackup = await succeeded(before);
  expect(atBackup).toBeLessThan(PAGES);
  backupMade.resolve();
  await delay(500);
  await service?.kill();
  // The server ends with its supervisor.
  await until('Postgres has ended', () => run(lost, 'accounts', 'list').status === 0);
  await rename(lost, join(place, 'away'));

  const restored = run(kept, 'restore', file);
  expect(restored, restored.output).toMatchObject({ status: 0 });
  expect(run(kept, 'restore', file)).toMatchObject({
    status: 1,
    output: expect.stringContaining('holds a database already') as string,
  });
  await start(kept);
  const after = await client(kept);
  await until('the batch ends', async () => (await after.call('GET', path)).status === 'succeeded');
  expect(await succeeded(after)).toBe(PAGES);
  const db = createDatabase(after.databaseUrl, { max: 1 });
  const accounts = await db.sql`SELECT used::int, reserved::int FROM gleaner.accounts`;
  expect(accounts).toEqual([{ used: PAGES, reserved: 0 }]);
  expect(await findViolations(db)).toEqual([]);
  await db.close();
  await service?.stop();
}, 400_000);

it('refuses what is not a whole backup, and leaves nothing behind', async () => {
  const dataDir = join(place, 'none');
  const part = join(place, 'part.tar.zst');
  await copyFile(join(place, 'backup.tar.zst'), part);
  await truncate(part, Math.floor((await stat(part)).size / 2));
  expect(run(dataDir, 'restore', part)).toMatchObject({
    status: 1,
    output: expect.stringContaining('is not a whole backup') as string,
  });
  const other = join(place, 'other.tar.zst');
  execFileSync('tar', ['--zstd', '-cf', other, '-C', place, 'part.tar.zst']);
  expect(run(dataDir, 'restore', other)).toMatchObject({ status: 1 });
  expect(execFileSync('ls', ['-A', dataDir], { encoding: 'utf8' })).toBe('');
});
