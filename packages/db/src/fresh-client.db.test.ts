import { execFile } from 'node:child_process';
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
