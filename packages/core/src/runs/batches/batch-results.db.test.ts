import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { getBatchResults } from './batch-results.ts';

const opened = await openTestServices();
afterAll(opened.close);

const MEGABYTE = 1024 * 1024;

/** Ends a run as its last chunk does, without credits. */
async function end(no: string, succeeded: number): Promise<void> {
  const { sql } = opened.services.db;
  await sql`DELETE FROM gleaner.chunks WHERE run_no = ${no}`;
  await sql`UPDATE gleaner.runs SET state = 'succeeded', succeeded = ${succeeded}, carved = total WHERE no = ${no}`;
}

it('large results make smaller pages, and each is returned once', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const { id, no } = await submitTestRun(services, accountId, testUrls(6));
  await services.db.sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer)
    SELECT ${no}, n, 1, 1, true, '{"n":' || n || ',"page":"' || repeat('x', CASE n WHEN 3 THEN 9 ELSE 3 END * ${MEGABYTE}::int) || '"}'
    FROM generate_series(0, 5) n`;
  await end(no, 6);
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

it('a walk beside a run that ends its inputs out of order misses none', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const { id, no } = await submitTestRun(services, accountId, testUrls(60));
  const ctx = testContext(services, accountId);
  const seen: number[] = [];
  let cursor: string | undefined;
  const read = async (): Promise<number> => {
    const { jsonText } = await getBatchResults(ctx, {
      params: { id },
      query: { limit: 7, cursor },
      body: undefined,
      upload: undefined,
    });
    const found = [...jsonText.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
    seen.push(...found);
    cursor = /"cursor":"([^"]+)"\}$/.exec(jsonText)?.[1];
    return found.length;
  };
  // Every third fails; the order is that of 7 × n modulo 60, which passes each once.
  for (let step = 0; step < 60; step += 1) {
    const seq = (step * 7) % 60;
    const ok = seq % 3 !== 0;
    await services.db.sql`
      INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer, error)
      VALUES (${no}, ${seq}, 1, 1, ${ok}, ${ok ? `{"n":${seq}}` : null}, ${ok ? null : '{"code":"fetch_failed"}'}::text::jsonb)`;
    if (step % 5 === 0) {
      await read();
      expect(cursor).toBeDefined();
    }
  }
  await end(no, 40);
  while (cursor !== undefined) await read();
  expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => n).filter((n) => n % 3 !== 0));
});
