import { createDatabase as openConnections } from '@gleaner/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestAccount, type TestServices } from '../testing/test-services.ts';
import type { OperationServices } from './operation-entry.ts';
import { callOnce, openTestCall, openTestDoor, valueOf } from './testing/test-calls.ts';

/** The most calls of one account that may hold a connection at the same time. */
const MAX_RUNNING = 4;
/** The first page of an export has fewer rows. */
const ROWS = 1_000;

let door: Omit<TestServices, 'services'> & { services: OperationServices };
let services: OperationServices;
beforeAll(async () => {
  door = await openTestDoor();
  ({ services } = door);
});
afterAll(() => door.close());

/** An account with a database and a table `things`. */
async function createTable(rows: number) {
  const { accountId, apiKey } = await createTestAccount(services);
  const body = { name: 'things', kind: 'managed' };
  const { id } = valueOf(await callOnce(services, 'createDatabase', { apiKey }, { body })) as { id: string };
  await services.db.sql.unsafe(`CREATE TABLE "${id}".things (no int PRIMARY KEY);
    INSERT INTO "${id}".things SELECT generate_series(1, ${rows})`);
  return { accountId, apiKey, id, input: { params: { id, table: 'things' } } };
}

test('slow reads of one account leave connections for others', async () => {
  const [slow, quick] = [await createTable(1), await createTable(1)];
  const holder = openConnections(door.database.url, { max: 1 });
  const { held } = await holder.sql.begin(async (tx) => {
    await tx.unsafe(`LOCK TABLE "${slow.id}".things`);
    const all = Array.from({ length: 40 }, () => callOnce(services, 'listRows', slow, slow.input));
    expect(valueOf(await callOnce(services, 'listRows', quick, quick.input))).toMatchObject({
      rows: [{ no: 1 }],
    });
    return { held: all };
  });
  for (const result of await Promise.all(held)) expect(valueOf(result)).toMatchObject({ rows: [{ no: 1 }] });
  await holder.close();
});

test('exports use no part of the share while their clients read', async () => {
  const { apiKey, input } = await createTable(ROWS);
  const exports = await Promise.all(
    Array.from({ length: MAX_RUNNING + 1 }, async () => {
      const call = await openTestCall(services, 'exportTable', { apiKey });
      const { answer } = await call.run(input);
      if (answer.kind !== 'stream') throw new Error('no stream');
      const pages = answer.stream[Symbol.asyncIterator]();
      await pages.next();
      return { call, pages };
    }),
  );
  expect(valueOf(await callOnce(services, 'listRows', { apiKey }, input))).toMatchObject({
    pagination: { has_more: true },
  });
  for (const { call, pages } of exports) {
    let rest = '';
    for (let page = await pages.next(); page.done !== true; page = await pages.next())
      rest += String(page.value);
    expect(rest.trimEnd().split('\n').at(-1)).toBe(`{"no":${ROWS}}`);
    call.end();
  }
});

test('a page of an export waits while the account’s share is used up', async () => {
  const [busy, other] = [await createTable(ROWS), await createTable(1)];
  const call = await openTestCall(services, 'exportTable', busy);
  const { answer } = await call.run(busy.input);
  if (answer.kind !== 'stream') throw new Error('no stream');
  const pages = answer.stream[Symbol.asyncIterator]();
  await pages.next();
  const gate = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  const held = Array.from({ length: MAX_RUNNING }, () =>
    services.fairShare.run(busy.accountId, () => gate.promise, signal),
  );
  let hasPage = false;
  const page = pages.next().finally(() => {
    hasPage = true;
  });
  await callOnce(services, 'listRows', other, other.input);
  expect(hasPage).toBe(false);
  gate.resolve();
  expect(String((await page).value)).toContain('{"no":201}');
  await Promise.all(held);
  call.end();
});
