import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, valueOf } from '../../operations/testing/test-calls.ts';
import { countRowsRead } from '../../testing/count-rows-read.ts';
import { createTestAccount } from '../../testing/test-services.ts';

const COUNT = 2_000;
const LIMIT = 100;

const { services, close } = await openTestDoor();
const { sql } = services.db;
let apiKey: string;
let id: string;

/** A batch that has ended: every other input failed. */
beforeAll(async () => {
  ({ apiKey } = await createTestAccount(services, { credits: COUNT }));
  const create = async (operation: string, body: object): Promise<string> =>
    (valueOf(await callOnce(services, operation, { apiKey }, { body })) as { id: string }).id;
  const parserId = await create('createParser', { name: 'p', schema: { fields: { title: 'h1' } } });
  const urls = Array.from({ length: COUNT }, (_, place) => `https://a.example/${place}`);
  id = await create('createBatch', { target: { type: 'parser', parserId }, urls });
  await sql`
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer, error)
    SELECT r.no, s, 1, 1, s % 2 = 0, CASE s % 2 WHEN 0 THEN '{}' END,
      CASE s % 2 WHEN 1 THEN '{"code": "fetch_failed"}'::jsonb END
    FROM gleaner.runs r, generate_series(0, ${COUNT - 1}::int) s WHERE r.id = ${id}`;
  await sql`
    UPDATE gleaner.runs SET state = 'succeeded', finished_at = now(), carved = total, succeeded = total / 2, failed = total / 2
    WHERE id = ${id}`;
  // As in a service that has run for a while.
  await sql.unsafe('ANALYZE gleaner.tasks, gleaner.results');
});
afterAll(() => close());

async function readPage(operation: string, cursor: string | undefined): Promise<string | undefined> {
  const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
  const result = await callOnce(services, operation, { apiKey }, { params: { id }, query });
  const value: unknown =
    result.answer.kind === 'json-text' ? JSON.parse(result.answer.jsonText) : valueOf(result);
  return (value as { cursor?: string }).cursor;
}

it.each(['getBatchResults', 'getBatchFailures', 'getBatchInputs'])(
  '%s reads no more rows for a late page than the page has',
  async (operation) => {
    let cursor: string | undefined;
    for (let page = 0; page < 8; page += 1) {
      const before = await countRowsRead(services.db);
      cursor = await readPage(operation, cursor);
      expect(cursor).toBeDefined();
      // An input, its outcome, and an outcome of the other kind in between. The first page also counts causes.
      if (page > 0) expect((await countRowsRead(services.db)) - before).toBeLessThan(4 * LIMIT);
    }
  },
);
