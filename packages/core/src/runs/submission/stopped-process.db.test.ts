import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { newTestRun, submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createRun } from './create-run.ts';

const { services, database, close } = await openTestServices();
afterAll(close);

it('a process that stops inside create_run locks its account for at most 5 s', async () => {
  const { accountId } = await createTestAccount(services, { credits: 1_000, concurrency: 5 });
  const other = await createTestAccount(services, { credits: 1_000, concurrency: 5 });
  // For Postgres, a stopped process is a client that sends no further data.
  const never = new Promise<void>(() => undefined);
  const stopped = createDatabase(database.url, { max: 8, applicationName: 'stopped' });
  const held = Array.from({ length: 8 }, () =>
    stopped.orm
      .transaction(async (tx) => {
        await createRun(tx, await newTestRun(services, accountId, testUrls(1)));
        await never;
      })
      .catch(() => undefined),
  );
  await expect
    .poll(async () => {
      const [row] = await services.db.sql`
        SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE application_name = 'stopped' AND wait_event_type = 'Lock'`;
      return row?.waiting;
    })
    .toBeGreaterThan(0);
  const from = performance.now();
  await submitTestRun(services, other.accountId, testUrls(1));
  expect(performance.now() - from).toBeLessThan(2_500);
  // Each submission gives up after 3 s in which it does not get the account.
  await expect
    .poll(
      async () =>
        submitTestRun(services, accountId, testUrls(1)).then(
          () => 'created',
          () => 'busy',
        ),
      {
        timeout: 10_000,
      },
    )
    .toBe('created');
  expect(performance.now() - from).toBeLessThan(10_000);
  await Promise.race([Promise.all(held), delay(100)]);
  await stopped.close();
}, 30_000);
