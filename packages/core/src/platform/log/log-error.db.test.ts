import { sql } from 'drizzle-orm';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeError } from './log.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const SECRET = 'pass\nword-$&-of-a-customer';

test('the log line of a failed query never contains its values', async () => {
  const { orm } = database.db;
  const faults = [
    orm.execute(sql`SELECT ${SECRET}::text, 1 / 0, ${'x'}::text FROM gleaner.accounts WHERE id > ${SECRET}`),
    orm.execute(sql`SELECT nowhere(${SECRET}::text)`),
    orm.execute(sql`INSERT INTO gleaner.settings (name, value) VALUES (${SECRET}, NULL)`),
  ];
  for (const fault of faults) {
    const line = JSON.stringify(describeError(await fault.catch((error: unknown) => error)));
    expect(line).toContain('Failed query: ');
    expect(line).not.toContain('word-');
    expect(line).toContain('"code":');
  }
});

test('a logged error has its kind, text and stack, and those of its causes', () => {
  const cause = Object.assign(new TypeError('inner'), { code: 'ECONNREFUSED', port: 5432, secret: 'x' });
  expect(describeError(new RangeError('outer', { cause }))).toEqual({
    type: 'RangeError',
    message: 'outer: inner',
    stack: expect.stringContaining('caused by: TypeError: inner'),
    code: 'ECONNREFUSED',
    port: 5432,
  });
  expect(describeError('no error')).toBe('no error');
});

test('only the beginning of a very long error is logged', () => {
  const cause = Object.assign(new Error('no '.repeat(1_000_000)), { code: '40001', detail: 'x'.repeat(1e6) });
  const line = JSON.stringify(describeError(new Error('the database refused', { cause })));
  expect(line).toContain('the database refused: no no ');
  expect(line.length).toBeLessThan(100_000);
});
