import { createTestAccount, openTestServices } from '@gleaner/core/testing';
import { loadConfig } from '@gleaner/core/config';
import { afterAll, expect, it } from 'vitest';
import { checkPostgres } from './check-postgres.ts';

const { services, database, close } = await openTestServices();
afterAll(close);

it('names accounts whose own parser stands before the built-in one', async () => {
  const { accountId } = await createTestAccount(services);
  const findings = async () => [await checkPostgres(loadConfig({ DATABASE_URL: database.url }))].flat();
  const { sql } = services.db;
  await sql`INSERT INTO gleaner.parsers (id, account_id, slug, name, version, scrape_config)
    VALUES ('prs_own', ${accountId}, 'products', 'mine', 1, '{}')`;
  expect((await findings()).map(({ check }) => check)).not.toContain('parser slugs');
  await sql`UPDATE gleaner.parsers SET slug = 'page' WHERE id = 'prs_own'`;
  expect(await findings()).toContainEqual(
    expect.objectContaining({
      check: 'parser slugs',
      state: 'warning',
      found: expect.stringContaining(accountId),
    }),
  );
});
