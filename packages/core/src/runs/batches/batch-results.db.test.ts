import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { getBatchResults } from './batch-results.ts';

const opened = await openTestServices();
afterAll(opened.close);

const MEGABYTE = 1024 * 1024;

it('large results make smaller pages, and each is returned once', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const { id, no } = await submitTestRun(services, accountId, testUrls(6));
  await services.db.sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer)
    SELECT ${no}, n, 1, 1, true, '{"n":' || n || ',"page":"' || repeat('x', CASE n WHEN 3 THEN 9 ELSE 3 END * ${MEGABYTE}::int) || '"}'
    FROM generate_series(0, 5) n`;
  const ctx = testContext(services, accountId);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { jsonText } = await getBatchResults(ctx, {
      params: { id },
      query: { limit: 100, cursor },
      body: undefined,
      upload: undefined,
    });
    pages.push([...jsonText.matchAll(/"n":(\d)/g)].map(([, n]) => n ?? ''));
    cursor = /"cursor":"([^"]+)"\}$/.exec(jsonText)?.[1];
  } while (cursor !== undefined);
  expect(pages).toEqual([['0', '1'], ['2'], ['3'], ['4', '5']]);
});
