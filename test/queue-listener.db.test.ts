import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSharedListener, type SharedListener } from '@gleaner/queue';

let database: TestDatabase;
let listener: SharedListener;

beforeAll(async () => {
  database = await createTestDatabase();
  const write = (...parts: unknown[]): never => expect.fail(JSON.stringify(parts));
  listener = createSharedListener(
    { connectionString: database.url },
    { info: write, warn: write, error: write },
  );
});
afterAll(async () => {
  await listener.close();
  await database.close();
});

it('many workers subscribe at once without a warning of the driver', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  const client = await listener.client();
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) => client.query<{ n: number }>('SELECT $1::int AS n', [index])),
  );
  await nextTurn();
  process.off('warning', note);
  expect(answers.map(({ rows }) => rows[0]?.n)).toEqual([0, 1, 2, 3, 4]);
  expect(warnings).toEqual([]);
});

it('a query that fails does not stop the next one', async () => {
  const client = await listener.client();
  const failing = client.query('SELECT nonsense');
  const next = client.query('SELECT 1 AS n');
  await expect(failing).rejects.toThrow('nonsense');
  expect((await next).rows).toEqual([{ n: 1 }]);
});

it('a subscription gets messages again after its connection was lost, and another one of its channel may begin', async () => {
  const received: string[] = [];
  const { sql } = database.db;
  const subscribe = (name: string) =>
    watched.subscribe('news', (message) => {
      received.push(`${name} ${message}`);
    });
  const watched = createSharedListener(
    { connectionString: database.url, application_name: 'listener_of_test' },
    { info: () => undefined, warn: () => undefined, error: () => undefined },
  );
  const close = await subscribe('first');
  for (let round = 0; round < 3; round += 1) {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener_of_test'`;
    await expect
      .poll(async () => {
        await sql`SELECT pg_notify('news', ${String(round)})`;
        return received.includes(`first ${round}`);
      })
      .toBe(true);
  }
  await subscribe('second');
  close();
  received.length = 0;
  await sql`SELECT pg_notify('news', 'last')`;
  await expect.poll(() => received).toContain('second last');
  expect(received).not.toContain('first last');
  await watched.close();
});
