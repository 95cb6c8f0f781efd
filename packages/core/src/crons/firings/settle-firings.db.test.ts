import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { triggerCron } from '../fire-on-demand.ts';
import { createFiringSettler } from './settle-firings.ts';

const { services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

it('ended firings are found in parts, and unfinished ones are looked at again', async () => {
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
  const settle = createFiringSettler(services.db, 0, 2);
  const settleAll = async (): Promise<number[]> => {
    const counts = [];
    for (let part = 0; part < 3; part += 1) {
      await settle();
      counts.push(await live());
    }
    return counts;
  };
  expect(await settleAll()).toEqual([5, 5, 5]);
  for (const run of runs) await account.endRun(run, 'succeeded');
  expect(await settleAll()).toEqual([3, 1, 0]);
});
