import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createDatabase } from './database.ts';
import { createTestDatabase } from './testing/index.ts';

it('a connection that is lost in a transaction leaves no statement without an end, and none with another’s answer', async () => {
  const test = await createTestDatabase();
  const script = fileURLToPath(new URL('testing/lose-connections.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, test.url]);
  const outcomes = JSON.parse(stdout) as string[];
  const counts = Map.groupBy(outcomes, (outcome) => outcome.split(':')[0]);
  expect([...counts.keys()].toSorted()).toEqual(['failed', 'right']);
  expect(counts.get('right')).toHaveLength(60);
  await test.close();
});

it('a connection to a server that became read-only is replaced, so that writes find the new primary', async () => {
  const test = await createTestDatabase();
  const [row] = await test.db.sql<{ name: string }[]>`SELECT quote_ident(current_database()) AS name`;
  const name = row?.name ?? '';
  // Sessions that begin now refuse writes as long as they last, as those on a demoted server.
  await test.db.sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const db = createDatabase(test.url, { max: 1 });
  const write = () => db.sql`INSERT INTO gleaner.settings (name, value) VALUES ('a', 'b')`;
  await expect(write()).rejects.toMatchObject({ code: '25006' });
  await test.db.sql.unsafe(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await write();
  await db.close();
  await test.close();
});

it('a connection that is lost before its first statement has an answer fails that statement, and nothing else', async () => {
  const message = (type: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(4 + body.length);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const ended = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]));
      socket.once('data', () => socket.end(ended));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const db = createDatabase(`postgres://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/c`);
  // An error that nobody catches fails the test run.
  await expect(db.sql`SELECT ${1}::int`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await db.close();
  server.close();
});

it('reads and writes arrays', async () => {
  const test = await createTestDatabase();
  const texts = ['plain', '', 'NULL', 'a,b', '{c}', String.raw`d"\e`, 'two\nlines', ' '];
  const [row] = await test.db.sql`
    SELECT ${texts}::text[] AS texts, ${[1, -2]}::int[] AS numbers, ${['9007199254740993']}::bigint[] AS large, ARRAY[true, false] AS flags,
      ${[]}::text[] AS none, ARRAY[NULL, 'a'] AS gap, ARRAY['{"a": "b, \\"c"}'::jsonb] AS json, ARRAY[1.5::float8] AS floats,
      ARRAY['a'::bytea] AS bytes`;
  expect(row).toEqual({
    texts,
    numbers: [1, -2],
    large: ['9007199254740993'],
    flags: [true, false],
    none: [],
    gap: [null, 'a'],
    json: [{ a: 'b, "c' }],
    floats: [1.5],
    bytes: [Buffer.from('a')],
  });
  await test.close();
});
