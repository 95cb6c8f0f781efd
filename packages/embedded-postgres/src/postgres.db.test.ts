import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { isAlive } from './process-facts.ts';
import { startPostgres, type EmbeddedPostgres } from './index.ts';

const folders: string[] = [];
const running: EmbeddedPostgres[] = [];

function makeFolder(mode = 0o711): string {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-postgres-'));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

async function start(dataDir: string, systemFolder?: string): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dataDir, durable: true, log: () => undefined, systemFolder });
  running.push(server);
  return server;
}

async function query(url: string, text: string): Promise<unknown> {
  const sql = postgres(url, { max: 1 });
  try {
    const [row] = await sql.unsafe(text);
    return row && Object.values(row)[0];
  } finally {
    await sql.end();
  }
}

afterAll(async () => {
  await Promise.all(running.map((server) => server.stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const shared = makeFolder();

/** How many of so many sessions an address gets, which are held until they are let go. */
async function holdSessions(url: string, count: number) {
  const sql = postgres(url, { max: count });
  const end = Promise.withResolvers<void>();
  let got = 0;
  let refused = 0;
  const hold = async (): Promise<void> => {
    try {
      await sql.begin(async (tx) => {
        await tx`SELECT 1`;
        got += 1;
        await end.promise;
      });
    } catch {
      refused += 1;
    }
  };
  const held = Promise.all(Array.from({ length: count }, hold));
  await expect.poll(() => got + refused).toBe(count);
  return {
    got,
    disconnect: async () => {
      end.resolve();
      await held;
      await sql.end();
    },
  };
}

it('keeps its data over stops, crashes and a taken port, on disk and behind a password', async () => {
  const first = await start(shared);
  await query(first.url, 'CREATE TABLE kept (id int)');
  await query(first.url, 'INSERT INTO kept VALUES (7)');
  expect(await query(first.url, 'SHOW fsync')).toBe('on');
  // Logins of BI tools must not stop the service: docs/operate/deploy.md lists the connections it needs.
  await query(first.url, `CREATE ROLE guest LOGIN PASSWORD 'guest'`);
  const address = new URL(first.url);
  address.username = address.password = 'guest';
  const guests = await holdSessions(address.href, 190);
  const own = await holdSessions(first.url, 107);
  expect(guests.got).toBeLessThan(190);
  expect(own.got).toBe(107);
  await own.disconnect();
  await guests.disconnect();
  const wrong = new URL(first.url);
  wrong.password = 'guess';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  expect(statSync(join(shared, 'postgres.json')).mode & 0o777).toBe(0o600);
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);

  const second = await start(shared);
  expect(second.port).toBe(first.port);
  process.kill(second.pid, 'SIGKILL');
  await second.ended;
  const third = await start(shared);
  expect(await query(third.url, 'SELECT id FROM kept')).toBe(7);
  await third.stop();

  const other = createServer().listen(third.port, '127.0.0.1');
  await once(other, 'listening');
  const fourth = await start(shared);
  expect(fourth.port).not.toBe(third.port);
  expect(await query(fourth.url, 'SELECT id FROM kept')).toBe(7);
  await fourth.stop();
  other.close();
});

it('starts over a lock file whose process id another program has now', async () => {
  const lockFile = join(shared, 'postgres', 'data', 'postmaster.pid');
  writeFileSync(
    lockFile,
    `${process.pid}\n${join(shared, 'postgres', 'data')}\n1\n5432\n\n127.0.0.1\n1 1\nready   \n`,
  );
  const server = await start(shared);
  expect(await query(server.url, 'SELECT id FROM kept')).toBe(7);
  await server.stop();
});

it('ends with the process that started it, also when that is killed, and starts again after', async () => {
  const script = join(shared, 'owner.ts');
  const module = JSON.stringify(join(import.meta.dirname, 'index.ts'));
  writeFileSync(
    script,
    `import { startPostgres } from ${module};
     const server = await startPostgres({ dataDir: ${JSON.stringify(shared)}, durable: true, log: () => undefined });
     console.log(server.pid);
     setInterval(() => undefined, 1000);`,
  );
  const owner = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk]: unknown[] = await once(owner.stdout, 'data');
  const pid = Number(String(chunk));
  expect(isAlive(pid)).toBe(true);
  owner.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
  const server = await start(shared);
  expect(await query(server.url, 'SELECT id FROM kept')).toBe(7);
  await server.stop();
});

it('stops a server that an earlier start left running', async () => {
  const left = await start(shared);
  const next = await start(shared);
  expect(isAlive(left.pid)).toBe(false);
  expect(await query(next.url, 'SELECT id FROM kept')).toBe(7);
  await next.stop();
});

it('begins again when it was killed while making the cluster', async () => {
  const folder = makeFolder();
  const killed = spawn(process.execPath, [
    '-e',
    `import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))}).then(({ startPostgres }) =>
       startPostgres({ dataDir: ${JSON.stringify(folder)}, durable: true, log: () => undefined }))`,
  ]);
  while (!existsSync(join(folder, 'postgres.json'))) await sleep(5);
  await sleep(100);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const server = await start(folder);
  expect(await query(server.url, 'SELECT 1 AS one')).toBe(1);
  await server.stop();
});

it.runIf(process.getuid?.() === 0)(
  'puts the cluster where its user can go when root alone can enter the data folder',
  { meta: { missing: 'root’s rights' } },
  async () => {
    const home = makeFolder(0o700);
    const systemFolder = makeFolder(0o755);
    const dataDir = join(home, 'clone', '.gleaner');
    mkdirSync(dataDir, { recursive: true });
    const server = await start(dataDir, systemFolder);
    expect(await query(server.url, 'SELECT 1 AS one')).toBe(1);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const record: unknown = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    expect(record).toMatchObject({ folder: expect.stringContaining(systemFolder) });
    await query(server.url, 'CREATE TABLE kept (id int)');
    await server.stop();
    const again = await start(dataDir, systemFolder);
    expect(await query(again.url, 'SELECT count(*)::int AS n FROM kept')).toBe(0);
    await again.stop();
  },
);

it('goes along with a data folder that is copied or moved, and leaves the original alone', async () => {
  const original = makeFolder();
  const [copy, moved] = [`${original}-copy`, `${original}-moved`];
  folders.push(copy, moved);
  const made = await start(original);
  await query(made.url, 'CREATE TABLE kept (id int)');
  await made.stop();
  execFileSync('cp', ['-a', original, copy]);
  const [first, second] = [await start(original), await start(copy)];
  await query(second.url, 'INSERT INTO kept VALUES (8)');
  expect([isAlive(first.pid), isAlive(second.pid)]).toEqual([true, true]);
  expect(await query(first.url, 'SELECT count(*)::int FROM kept')).toBe(0);
  expect(await query(second.url, 'SELECT count(*)::int FROM kept')).toBe(1);
  await Promise.all([first.stop(), second.stop()]);

  renameSync(copy, moved);
  const third = await start(moved);
  expect(await query(third.url, 'SELECT id FROM kept')).toBe(8);
  await third.stop();
});

it('refuses the database of another data folder', async () => {
  const dataDir = makeFolder();
  copyFileSync(join(shared, 'postgres.json'), join(dataDir, 'postgres.json'));
  await expect(start(dataDir)).rejects.toThrow(`names the database of another data folder, ${shared}`);
});

it('says where the data was when its folder is gone', async () => {
  const dataDir = makeFolder();
  const record = { folder: join(dataDir, 'elsewhere'), port: 1, user: 'gleaner', password: 'x' };
  writeFileSync(join(dataDir, 'postgres.json'), JSON.stringify(record));
  await expect(start(dataDir)).rejects.toThrow(/was in .*elsewhere, which no longer exists/);
});
