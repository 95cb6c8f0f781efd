import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { triggerCron } from '../fire-on-demand.ts';
import { settleFirings } from './fire-group.ts';

const { services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

it('ended firings are found, in parts, and unfinished ones are looked at again', async () => {
  const account = await openCronAccount(services);
  const runs: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const cron = await account.create();
    const { run_id: run } = await triggerCron(account.ctx, {
      params: { id: cron.id },
      query: undefined,
      body: undefined,
      upload: undefined,
    });
    if (run === null) throw new Error('the cron did not fire');
    runs.push(run);
  }
  const live = async (): Promise<number> => {
    const [row] = await sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM gleaner.cron_firings WHERE account_id = ${account.accountId} AND is_live`;
    return row?.n ?? 0;
  };
  await settleFirings(services.db, 2);
  expect(await live()).toBe(5);
  const [last = '', ...others] = runs;
  for (const run of others) await account.endRun(run, 'succeeded');
  await settleFirings(services.db, 2);
  expect(await live()).toBe(1);
  await account.endRun(last, 'succeeded');
  await settleFirings(services.db, 2);
  expect(await live()).toBe(0);
});
