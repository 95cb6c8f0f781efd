import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { cancelAccountRun, listAccountRuns } from './account-runs.ts';

const { services, close } = await openTestServices();
afterAll(close);

const none = { query: undefined, body: undefined, upload: undefined };

it('shows the operator what of an account has not ended, and cancels it', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100, concurrency: 7 });
  const other = await createTestAccount(services, { credits: 100 });
  const run = await submitTestRun(services, accountId, testUrls(20));
  await submitTestRun(services, other.accountId, testUrls(20));
  const ctx = testContext(services, '');
  const read = () => listAccountRuns(ctx, { ...none, params: { id: accountId } });
  expect(await read()).toMatchObject({
    concurrency: 7,
    interactive_slots: 0,
    runs: [{ id: run.id, state: 'pending', total: 20, ended: 0, slots: 0 }],
  });
  const cancel = (account: string) =>
    cancelAccountRun(ctx, { ...none, params: { id: account, run_id: run.id } });
  await expect(cancel(other.accountId)).rejects.toMatchObject({ code: 'not_found' });
  await cancel(accountId);
  expect((await read()).runs).toEqual([]);
  await expect(cancel(accountId)).rejects.toMatchObject({ code: 'already_finished' });
  await expect(listAccountRuns(ctx, { ...none, params: { id: 'acc_none' } })).rejects.toMatchObject({
    code: 'not_found',
  });
});
