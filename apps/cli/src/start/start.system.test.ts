import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, afterEach, expect, inject, it } from 'vitest';
import { isAlive } from '@gleaner/embedded-postgres/process-facts';
import { startService, type RunningService } from './start.ts';
import type { ProcessSpec } from './supervisor/child.ts';

const root = mkdtempSync(join(tmpdir(), 'gleaner-start-'));
chmodSync(root, 0o711);
/** The folder of all tests that need a cluster, which takes seconds to make. */
const withCluster = join(root, 'first');
const entry = join(root, 'stub.mjs');
writeFileSync(
  entry,
  `import { createServer } from 'node:http';
   if (process.argv[1].endsWith('stub.mjs') && process.env.STUB_PORT) {
     createServer((request, response) => response.end('{}')).listen(Number(process.env.PORT), process.env.HOST);
   } else setInterval(() => {}, 1000);
   process.on('SIGTERM', () => process.exit(0));`,
);

/** Small processes instead of ours: this tests only their supervision. */
function stubs(_: unknown, env: () => NodeJS.ProcessEnv): ProcessSpec[] {
  return [
    { name: 'api', entry, env: () => ({ ...env(), STUB_PORT: '1' }) },
    { name: 'worker', entry, env },
  ];
}

let output = '';
const running: RunningService[] = [];
async function start(env: NodeJS.ProcessEnv, isStill = false): Promise<RunningService> {
  output = '';
  const service = await startService({
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, PORT: '0', ...env },
    write: (text) => {
      output += text;
    },
    isTerminal: false,
    isStill,
    services: stubs,
  });
  running.push(service);
  return service;
}

function gleaner(dataDir: string, ...args: string[]) {
  // Bundled before the tests start (test/global-setup.ts).
  const main = join(import.meta.dirname, '../../../../dist/cli.js');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const answer = spawnSync(process.execPath, [main, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, GLEANER_DATA_DIR: dataDir },
    encoding: 'utf8',
    timeout: 180_000,
  });
  return { ...answer, json: (): unknown => JSON.parse(answer.stdout) };
}

function readJson(dataDir: string, name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
}

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The first start may build the dashboard. */
const FIRST_START_MS = 180_000;

it(
  'makes an account at the first start, keeps it at the second, and leaves nothing running',
  async () => {
    const dataDir = withCluster;
    const service = await start({ GLEANER_DATA_DIR: dataDir });
    await service.ready;
    const credentials = readJson(dataDir, 'credentials.json');
    expect(credentials).toEqual({
      base_url: service.baseUrl,
      account_id: expect.stringMatching(/^acc_/),
      api_key: expect.stringMatching(/^gln_/),
      operator_password: expect.stringMatching(/.{12}/),
    });
    for (const name of ['credentials.json', 'secrets.json', 'runtime.json', 'postgres.json']) {
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    }
    expect(output).toContain(service.baseUrl);
    // No terminal reads it, and a log keeps it.
    expect(output).not.toContain(String(credentials.api_key));
    expect(output).toMatch(/^curl -s .*\/v1\/parsers\/preview .*X-API-Key/m);
    const listed = gleaner(dataDir, 'accounts', 'list', '--json');
    expect(listed.json()).toMatchObject({
      accounts: [{ name: 'default', credit_balance: 100_000, concurrency: 50 }],
    });

    const pids = Object.values(readJson(dataDir, 'pids.json')).map(Number);
    expect(pids).toHaveLength(4);
    const startedAt = Date.now();
    await service.stop();
    if (inject('isLong')) expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(pids.filter((pid) => pid !== process.pid && isAlive(pid))).toEqual([]);
    expect(existsSync(join(dataDir, 'pids.json'))).toBe(false);

    const again = await start({ GLEANER_DATA_DIR: dataDir });
    await again.ready;
    const { base_url: _, ...kept } = credentials;
    expect(readJson(dataDir, 'credentials.json')).toMatchObject(kept);
    expect(output).not.toContain(String(credentials.api_key));
  },
  FIRST_START_MS,
);

it(
  'works on a database of its own choice, and makes a further key where the first is not',
  async () => {
    const { url, close } = await createTestDatabase();
    const here = await start({ GLEANER_DATA_DIR: join(root, 'here'), DATABASE_URL: url });
    const elsewhere = { GLEANER_DATA_DIR: join(root, 'there'), DATABASE_URL: url };
    await expect(start(elsewhere)).rejects.toThrow(/^GLEANER_SECRET_KEY is not the key/);
    const { secret_key: secretKey } = readJson(join(root, 'here'), 'secrets.json');
    const there = await start({ ...elsewhere, GLEANER_SECRET_KEY: String(secretKey) });
    const [first, second] = ['here', 'there'].map((name) => readJson(join(root, name), 'credentials.json'));
    expect(second?.account_id).toBe(first?.account_id);
    expect(second?.api_key).not.toBe(first?.api_key);
    expect(existsSync(join(root, 'here', 'postgres'))).toBe(false);
    await here.stop();
    await there.stop();
    await close();
  },
  FIRST_START_MS,
);

it(
  'makes no second database beside the one that its service works on, and commands name theirs',
  async () => {
    const { url, close } = await createTestDatabase();
    const dataDir = join(root, 'second');
    const name = new URL(url).pathname;
    const service = await start({ GLEANER_DATA_DIR: dataDir, DATABASE_URL: url });
    const listed = gleaner(dataDir, 'accounts', 'list', '--json');
    expect(listed.stderr).toContain(`${name} (the service of ${dataDir})`);
    await service.stop();
    await expect(start({ GLEANER_DATA_DIR: dataDir })).rejects.toThrow(
      new RegExp(`works on the database .*${name}, and DATABASE_URL is not set`),
    );
    const refused = gleaner(dataDir, 'accounts', 'create', '--name', 'lost');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`${name}, and DATABASE_URL is not set`);
    expect(existsSync(join(dataDir, 'postgres.json'))).toBe(false);
    expect(readFileSync(join(dataDir, 'database.json'), 'utf8')).not.toContain(new URL(url).password || '@');
    await close();
  },
  FIRST_START_MS,
);

it('never replaces secrets that it can’t read', async () => {
  const { url, close } = await createTestDatabase();
  const dataDir = join(root, 'secret');
  const env = { GLEANER_DATA_DIR: dataDir, DATABASE_URL: url };
  await (await start(env)).stop();
  const path = join(dataDir, 'secrets.json');
  const kept = readFileSync(path, 'utf8');
  writeFileSync(path, kept.slice(0, -5));
  await expect(start(env)).rejects.toThrow(/secrets\.json is damaged/);
  expect(readFileSync(path, 'utf8')).toBe(kept.slice(0, -5));
  writeFileSync(path, kept);
  await (await start(env)).stop();
  expect(readFileSync(path, 'utf8')).toBe(kept);
  await close();
});

it('starts processes again also when it can’t share their ids', async () => {
  const { url, close } = await createTestDatabase();
  const dataDir = join(root, 'full');
  const service = await start({ GLEANER_DATA_DIR: dataDir, DATABASE_URL: url });
  await service.ready;
  const pidsFile = join(dataDir, 'pids.json');
  const { worker } = readJson(dataDir, 'pids.json');
  rmSync(pidsFile);
  mkdirSync(join(pidsFile, 'in the way'), { recursive: true });
  process.kill(Number(worker), 'SIGKILL');
  const startsOf = () => output.match(/"child":"worker".*"process started"/g)?.length;
  await expect.poll(startsOf).toBe(2);
  expect(output).toContain('could not be written');
  rmSync(pidsFile, { recursive: true });
  await service.stop();
  await close();
});

it('refuses a second start on the same data folder and names the first', async () => {
  const { url, close } = await createTestDatabase();
  const env = { GLEANER_DATA_DIR: join(root, 'busy'), DATABASE_URL: url };
  const service = await start(env);
  await expect(start(env)).rejects.toThrow(new RegExp(`already runs .*pid ${process.pid}`));
  await service.stop();
  await close();
});

it('says in one line what is wrong and how to mend it', async () => {
  const port = createServer().listen(0, '127.0.0.1');
  await once(port, 'listening');
  const address = port.address();
  const taken = typeof address === 'object' && address !== null ? address.port : 0;
  writeFileSync(join(root, 'file'), '');
  await expect(start({ GLEANER_DATA_DIR: join(root, 'x'), PORT: String(taken) })).rejects.toThrow(
    new RegExp(`Port ${taken} on 127.0.0.1 is in use .*\n.*PORT=${taken + 1}`),
  );
  await expect(start({ GLEANER_DATA_DIR: join(root, 'file', 'x') })).rejects.toThrow(/can't be written/);
  await expect(start({ GLEANER_DATA_DIR: '/proc/x' })).rejects.toThrow(/can't be written/);
  await expect(start({ PORT: 'x', REDIS_URL: 'y', GLEANER_WORKERS: '-1' })).rejects.toThrow(
    /PORT: .*\n.*REDIS_URL: .*\n.*GLEANER_WORKERS: /,
  );
  await expect(
    start({ GLEANER_DATA_DIR: join(root, 'x'), DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }),
  ).rejects.toThrow(/127\.0\.0\.1:1\/c can't be used.*ECONNREFUSED/);
  await expect(
    start({ GLEANER_DATA_DIR: join(root, 'x'), REDIS_URL: 'redis://:secret@127.0.0.1:1' }),
  ).rejects.toThrow(/^The Redis at 127\.0\.0\.1:1 \(REDIS_URL\) can't be reached: ECONNREFUSED/);
  port.close();
});

it('starts no worker when it is still', async () => {
  const dataDir = withCluster;
  const service = await start({ GLEANER_DATA_DIR: dataDir }, true);
  await service.ready;
  expect(Object.keys(readJson(dataDir, 'pids.json')).toSorted()).toEqual(['api', 'postgres', 'supervisor']);
  expect(output).toContain('nothing runs until a start without --still');
});

it('runs the database for a command when the service is stopped', async () => {
  const dataDir = withCluster;
  const service = await start({ GLEANER_DATA_DIR: dataDir });
  await service.stop();
  const created = gleaner(dataDir, 'accounts', 'create', '--name', 'n', '--json');
  expect(created.json()).toMatchObject({ account: { name: 'n' } });
});
