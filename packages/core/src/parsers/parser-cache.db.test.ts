import { tables } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices } from '../testing/test-services.ts';
import { createParserCache } from './parser-cache.ts';

const { services, close } = await openTestServices();
afterAll(close);

it('keeps the most recently used parsers up to a total size, and reads the others again', async () => {
  const { accountId } = await createTestAccount(services);
  const { orm } = services.db;
  await orm
    .insert(tables.parsers)
    .values({ id: 'prs_a', accountId, name: 'a', version: 1, scrapeConfig: {} });
  const schema = { fields: { title: 'h1'.padEnd(1_000, ' ') } };
  const versions = [1, 2, 3].map((version) => ({ parserId: 'prs_a', version, schema }));
  await orm.insert(tables.parserVersions).values(versions);
  const cache = createParserCache(services.db, 2_500);
  const first = await cache.load('prs_a', 1);
  const second = await cache.load('prs_a', 2);
  expect(await cache.load('prs_a', 1)).toBe(first);
  await cache.load('prs_a', 3);
  expect(await cache.load('prs_a', 1)).toBe(first);
  const again = await cache.load('prs_a', 2);
  expect(again).toEqual(second);
  expect(again).not.toBe(second);
  await expect(cache.load('prs_a', 4)).rejects.toMatchObject({ code: 'not_found' });
});
