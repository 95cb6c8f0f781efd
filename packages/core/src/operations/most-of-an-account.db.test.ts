import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockAccount } from '../accounts/account-record.ts';
import { createTestAccount } from '../testing/test-services.ts';
import type { OperationServices } from './operation-entry.ts';
import { callOnce, openTestDoor, refusalOf, valueOf } from './testing/test-calls.ts';

let services: OperationServices;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ services, close } = await openTestDoor());
});
afterAll(() => close());

const cron = { name: 'a', description: '', schedule: '0 0 1 1 *', url: 'https://a.test/' };

/** What an account may make, and how many. A new account has one key. */
const LIMITED: readonly (readonly [
  string,
  number,
  (own: Readonly<Record<string, string>>, n: number) => object,
])[] = [
  ['createKey', 99, (_, n) => ({ name: `key ${n}` })],
  ['createDatabase', 99, (_, n) => ({ name: `database_${n}`, kind: 'managed' })],
  ['createWebhook', 50, (_, n) => ({ url: `https://a.test/${n}`, events: ['job.finished'] })],
  [
    'createCron',
    3,
    ({ parserId, database }) => ({
      ...cron,
      target: { type: 'parser', parserId },
      sink: { mode: 'database', database, table: 't' },
    }),
  ],
];

/** Whether a transaction of this database waits for another one. */
async function isBlocked(): Promise<boolean> {
  const [row] = await services.db.sql<{ blocked: boolean }[]>`
    SELECT count(*) > 0 AS blocked FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
  return row?.blocked === true;
}

it.each(LIMITED)(
  '%s makes at most as many as the account may have, also at once',
  async (id, most, bodyOf) => {
    const account = await createTestAccount(services, { cronLimit: 3 });
    const make = async (operation: string, body: object): Promise<string> =>
      (valueOf(await callOnce(services, operation, account, { body })) as { id: string }).id;
    const own = {
      parserId: await make('createParser', { name: 'p', schema: { fields: { a: 'h1' } } }),
      database: await make('createDatabase', { name: 'first', kind: 'managed' }),
    };
    for (let n = 1; n < most; n += 1) await make(id, bodyOf(own, n));
    let ended = 0;
    // Two ask for the last place while the account is locked: both count after that.
    const asked = await services.db.transact(async (tx) => {
      await lockAccount(tx, account.accountId);
      const both = [most, most + 1].map((n) =>
        refusalOf(make(id, bodyOf(own, n)).finally(() => (ended += 1))).catch(() => undefined),
      );
      await expect.poll(async () => ended > 0 || (await isBlocked())).toBe(true);
      expect(ended).toBe(0);
      return both;
    });
    const refusals = (await Promise.all(asked)).filter((one) => one !== undefined);
    expect(refusals).toMatchObject([{ code: 'plan_limit_exceeded' }]);
  },
);
