import { tables } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { encodeCursor } from '../platform/lists/cursor.ts';
import { createTestAccount, openTestServices, testContext } from '../testing/test-services.ts';
import { listParsers } from './read-parsers.ts';
import { listParserVersions } from './versions.ts';

const { services, close } = await openTestServices();
afterAll(close);

const COUNT = 12;
const MAX_CHARACTERS = 9_500_000;
const none = { params: undefined, body: undefined, upload: undefined };
const schema = { fields: { title: 'h1'.padEnd(1_000_000, ' ') } };

const { accountId } = await createTestAccount(services);
const ctx = testContext(services, accountId);
const ids = Array.from({ length: COUNT }, (_, index) => `prs_${String(index).padStart(2, '0')}`);
for (const id of ids) {
  await services.db.orm
    .insert(tables.parsers)
    .values({ id, accountId, name: id, version: 1, scrapeConfig: {} });
  await services.db.orm.insert(tables.parserVersions).values({ parserId: id, version: 1, schema });
}
const versions = Array.from({ length: COUNT - 1 }, (_, index) => index + 2);
await services.db.orm
  .insert(tables.parserVersions)
  .values(versions.map((version) => ({ parserId: 'prs_00', version, schema })));

/** Reads all items of a list, and checks the size of each page. */
async function readAll<T>(
  read: (cursor: string | undefined) => Promise<{ items: T[]; cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor);
    expect(JSON.stringify(page.items).length).toBeLessThan(MAX_CHARACTERS);
    all.push(...page.items);
    if (page.cursor === null) return all;
    ({ cursor } = page);
  }
}

it('pages of parsers with large schemas end early, and omit none', async () => {
  const parsers = await readAll(async (cursor) => {
    const answer = await listParsers(ctx, { ...none, query: { cursor, limit: 100 } });
    return { items: answer.parsers, cursor: answer.pagination.cursor };
  });
  expect(parsers.map(({ id }) => id)).toEqual(ids.toReversed());
});

it('pages of versions with large schemas end early too', async () => {
  const all = await readAll(async (cursor) => {
    const input = { ...none, params: { id: 'prs_00' }, query: { cursor, limit: 100 } };
    const answer = await listParserVersions(ctx, input);
    return { items: answer.versions, cursor: answer.pagination.cursor };
  });
  expect(all.map(({ version }) => version)).toEqual([...versions.toReversed(), 1]);
});

it.each([1e300, 1.5, -1, 3_000_000_000])('rejects %d in a cursor of versions', async (place) => {
  const query = { cursor: encodeCursor([place]), limit: 1 };
  await expect(listParserVersions(ctx, { ...none, params: { id: 'prs_00' }, query })).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: 'cursor' },
  });
});
