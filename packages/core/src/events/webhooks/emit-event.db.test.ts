import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { untilSomebodyWaits } from '../../testing/until-somebody-waits.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';

const { services, close } = await openTestServices();
afterAll(close);

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
    await untilSomebodyWaits(services.db);
  });
  expect(await cancelling).toEqual([{ outcome: 'cancelled' }]);
});
