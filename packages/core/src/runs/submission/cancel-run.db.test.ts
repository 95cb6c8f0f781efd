import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { countRowsHandled } from '../../testing/count-rows-handled.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';

const { services, database, close } = await openTestServices();
afterAll(close);

it('cancelling a batch handles as many rows, however many tasks it has', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100_000 });
  const handled: number[] = [];
  // The first one plans the statements.
  for (const tasks of [2, 2, 5_000]) {
    const { id } = await submitTestRun(services, accountId, testUrls(tasks));
    handled.push(
      await countRowsHandled(
        database.url,
        `SELECT outcome FROM "${ENGINE}".cancel_run('${accountId}', '${id}')`,
      ),
    );
    const [run] = await services.db.sql`SELECT state, cancelled FROM gleaner.runs WHERE id = ${id}`;
    expect(run).toEqual({ state: 'cancelled', cancelled: tasks });
  }
  const [, few = 0, many = 0] = handled;
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(few + 100);
});
