import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';

const { services, close } = await openTestServices();
afterAll(close);

async function isSomebodyWaiting(): Promise<boolean> {
  const [row] = await services.db.sql<{ waits: boolean }[]>`
    SELECT EXISTS (
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock') AS waits`;
  return row?.waits === true;
}

it('a run ends although a subscribed webhook is deleted at the same time', async () => {
  const { sql } = services.db;
  const { accountId } = await createTestAccount(services);
  await sql`INSERT INTO gleaner.webhooks (id, account_id, url, events, secret)
    VALUES ('whk_gone', ${accountId}, 'http://a.test/', '{batch.finished}', '')`;
  const { id } = await submitTestRun(services, accountId, testUrls(1));
  let cancelling: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`DELETE FROM gleaner.webhooks WHERE id = 'whk_gone'`;
    cancelling = sql`SELECT outcome FROM ${sql(ENGINE)}.cancel_run(${accountId}, ${id})`.execute();
    cancelling.catch(() => undefined);
    while (!(await isSomebodyWaiting())) await delay(5);
  });
  expect(await cancelling).toEqual([{ outcome: 'cancelled' }]);
});
