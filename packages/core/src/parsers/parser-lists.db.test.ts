import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import { afterAll, expect, it } from 'vitest';
import { getNames } from '../operations/get-names.ts';
import { encodeCursor } from '../platform/lists/page.ts';
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

it('a list of parsers has the names of their fields and no schema', async () => {
  const { parsers } = await listParsers(ctx, { ...none, query: { limit: 100 } });
  expect(parsers.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(parsers[0]).not.toHaveProperty('schema');
  expect(parsers[0]?.fields).toEqual(['title']);
  expect(JSON.stringify(parsers).length).toBeLessThan(10_000);
});

it('a search finds part of a name, with what patterns mean taken literally, or an id', async () => {
  const search = async (text: string) => {
    const { parsers } = await listParsers(ctx, { ...none, query: { limit: 100, search: text } });
    return parsers.map(({ id }) => id);
  };
  expect(await search('S_1')).toEqual(['prs_11', 'prs_10']);
  expect(await search(' prs_03 ')).toEqual(['prs_03']);
  expect(await search('s%')).toEqual([]);
});

it('names are of any kind, also deleted, and of no other account', async () => {
  const names = async (context: typeof ctx, of: string) =>
    (await getNames(context, { ...none, query: { ids: of } })).names.map(({ id, name }) => `${id} ${name}`);
  await services.db.orm
    .update(tables.parsers)
    .set({ deletedAt: new Date().toISOString() })
    .where(eq(tables.parsers.id, 'prs_05'));
  expect((await names(ctx, 'prs_03,prs_05,prs_none,bat_none')).toSorted()).toEqual([
    'prs_03 prs_03',
    'prs_05 prs_05',
  ]);
  const other = await createTestAccount(services);
  expect(await names(testContext(services, other.accountId), 'prs_03')).toEqual([]);
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
  const query = { cursor: encodeCursor('parser_versions', [place]), limit: 1 };
  await expect(listParserVersions(ctx, { ...none, params: { id: 'prs_00' }, query })).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: 'cursor' },
  });
});
