import net from 'node:net';
import postgres from 'postgres';
import { afterAll, afterEach, expect, it } from 'vitest';
import { boundReaders } from './reader-bounds.ts';
import { createDatabaseCredentials } from './reader-login.ts';
import { none, openTestDatabases } from './testing/test-databases.ts';
import { createReaderWatch } from './watch-readers.ts';

const { sql, test, ctx, stranger, createManaged, createProducts, close } = await openTestDatabases();
afterAll(close);

async function createReader(by = ctx) {
  const made = await createManaged(undefined, by);
  await createProducts(made.id);
  const login = await createDatabaseCredentials(by, { ...none, params: { id: made.id } });
  return { ...made, login };
}
const mine = await createReader();
const other = await createReader(stranger);

let open: postgres.Sql[] = [];
afterEach(async () => {
  await Promise.all(open.map((session) => session.end({ timeout: 0 })));
  open = [];
});
async function connect({ login } = mine, options: object = {}) {
  const session = postgres(login.connection_url, { max: 1, onnotice: () => undefined, ...options });
  open.push(session);
  await session.unsafe('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
  const [row] = await session<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return { session, pid: row?.pid ?? 0 };
}

function watch(limits: NonNullable<Parameters<typeof createReaderWatch>[0]['limits']> = {}) {
  return createReaderWatch({ db: test.db, log: ctx.log, limits });
}

async function isThere(pid: number): Promise<boolean> {
  const rows = await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`;
  return rows.length > 0;
}

it('ends only transactions that last too long', async () => {
  const idle = await connect();
  const lingering = await connect();
  await lingering.session.unsafe('BEGIN; SELECT 1');
  expect(await watch()()).toEqual([]);
  expect(await watch({ transactionMs: 0 })()).toEqual([
    { pid: lingering.pid, account: ctx.accountId, reason: 'transaction' },
  ]);
  await expect.poll(() => isThere(lingering.pid)).toBe(false);
  expect(await isThere(idle.pid)).toBe(true);
});

it('ends a reader for whose lock the service waits', async () => {
  const innocent = await connect(other);
  await innocent.session.unsafe('BEGIN; SELECT count(*) FROM products');
  const cases = [
    ['SELECT count(*) FROM products', `LOCK TABLE "${mine.id}".products IN ACCESS EXCLUSIVE MODE`],
    [`ALTER USER "${mine.login.user}" PASSWORD 'mine'`, `ALTER ROLE "${mine.login.user}" CONNECTION LIMIT 5`],
  ] as const;
  for (const [holds, waits] of cases) {
    const holder = await connect();
    await holder.session.unsafe('SET default_transaction_read_only = off');
    await holder.session.unsafe(`BEGIN; ${holds}`);
    const waiting = sql.begin((tx) => tx.unsafe(waits)).catch((error: unknown) => error);
    await expect
      .poll(() => watch({ blockMs: 0 })())
      .toEqual([{ pid: holder.pid, account: ctx.accountId, reason: 'lock' }]);
    await waiting;
  }
  expect(await isThere(innocent.pid)).toBe(true);
});

it('leaves an account so many sessions, and the oldest', async () => {
  const sessions = [await connect(), await connect(), await connect()];
  const innocent = await connect(other);
  const ended = await watch({ sessions: 2 })();
  expect(ended).toEqual([{ pid: sessions[2]?.pid, account: ctx.accountId, reason: 'sessions' }]);
  expect(await isThere(innocent.pid)).toBe(true);
});

it.runIf(process.platform === 'linux')('ends the session that takes the memory of its account', async () => {
  await connect();
  await connect(other);
  const greedy = await connect();
  await greedy.session.unsafe(`SELECT set_config('my.value', repeat('x', 30000000), false) <> ''`);
  expect(await watch({ memoryBytes: 25_000_000 })()).toContainEqual({
    pid: greedy.pid,
    account: ctx.accountId,
    reason: 'memory',
  });
  await expect.poll(() => isThere(greedy.pid)).toBe(false);
  expect(await watch({ memoryBytes: 25_000_000 })()).toEqual([]);
});

it('ends who fills the queue of notices, and empties it', async () => {
  const innocent = await connect(other);
  await innocent.session.unsafe('BEGIN; SELECT count(*) FROM products');
  const listener = await connect();
  await listener.session.unsafe('LISTEN mine');
  await listener.session.unsafe('BEGIN; SELECT 1');
  const sender = await connect();
  await sender.session.unsafe(`DO $$ BEGIN FOR i IN 1..150 LOOP
    PERFORM pg_notify('mine', i || repeat('x', 7900)); END LOOP; END $$`);
  const [usage] = await sql<{ share: number }[]>`SELECT pg_notification_queue_usage() AS share`;
  expect(usage?.share).toBeGreaterThan(0.002);
  const round = watch({ queueShare: 0.002 });
  const ended = await round();
  expect(new Set(ended.map(({ pid }) => pid))).toEqual(new Set([listener.pid, sender.pid]));
  expect(ended.every(({ reason }) => reason === 'notices')).toBe(true);
  await expect
    .poll(
      async () => (await sql<{ share: number }[]>`SELECT pg_notification_queue_usage() AS share`)[0]?.share,
    )
    .toBeLessThan(0.002);
  expect(await round()).toEqual([]);
  expect(await isThere(innocent.pid)).toBe(true);
});

it('ends a listener that does not read its notices', async () => {
  const { host, port } = mine.login;
  const socket = net.connect(port, host);
  const listener = await connect(mine, { socket: () => socket });
  await listener.session.unsafe('LISTEN unread');
  socket.pause();
  const sender = await connect(other);
  await sender.session.unsafe(`DO $$ BEGIN FOR i IN 1..3000 LOOP
    PERFORM pg_notify('unread', i || repeat('x', 7900)); END LOOP; END $$`);
  const isStuck = () =>
    sql`SELECT pid FROM pg_stat_activity WHERE pid = ${listener.pid} AND wait_event = 'ClientWrite'`;
  await expect.poll(isStuck).toHaveLength(1);
  const round = watch({ unreadNoticesMs: 20, queueShare: 1 });
  expect(await round()).toEqual([]);
  await expect.poll(round).toEqual([{ pid: listener.pid, account: ctx.accountId, reason: 'unread' }]);
});

it('gives logins of earlier versions the bounds of new ones, and ends their sessions', async () => {
  const before = await connect();
  await sql.unsafe(`ALTER ROLE "${mine.login.user}" RESET ALL;
    GRANT EXECUTE ON FUNCTION pg_catalog.pg_partition_tree(regclass) TO PUBLIC`);
  expect(await boundReaders(test.db)).toBe(1);
  await expect.poll(() => isThere(before.pid)).toBe(false);
  const { session } = await connect();
  expect(await session`SHOW log_min_messages`).toEqual([{ log_min_messages: 'fatal' }]);
  await expect(session`SELECT pg_partition_tree(1)`).rejects.toMatchObject({ code: '42501' });
  expect(await boundReaders(test.db)).toBe(0);
});
