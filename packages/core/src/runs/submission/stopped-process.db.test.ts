import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';

const { services, database, close } = await openTestServices();
afterAll(close);

/** A process that locks the account in eight transactions, of which seven wait for the first. */
function spawnHolder(accountId: string) {
  const db = pathToFileURL(createRequire(import.meta.url).resolve('@gleaner/db')).href;
  const script = `
    const { createDatabase, ENGINE } = await import(${JSON.stringify(db)});
    const { transact } = createDatabase(${JSON.stringify(database.url)}, { max: 8, applicationName: 'stopped' });
    for (let call = 0; call < 8; call += 1)
      transact(async (tx) => {
        await tx.execute('SELECT ' + ENGINE + ".lock_accounts(ARRAY['${accountId}'], 0)");
        console.log('locked');
        await new Promise(() => undefined);
      }).catch(() => undefined);
    setInterval(() => undefined, 1_000);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

it('a process that stops within transactions keeps its account from others until its transactions end, which Postgres limits', async () => {
  const { accountId } = await createTestAccount(services, { credits: 1_000, concurrency: 5 });
  const other = await createTestAccount(services, { credits: 1_000, concurrency: 5 });
  const holder = spawnHolder(accountId);
  try {
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await expect
      .poll(async () => {
        const [row] = await services.db.sql`
          SELECT count(*)::int AS waiting FROM pg_stat_activity
          WHERE application_name = 'stopped' AND wait_event_type = 'Lock'`;
        return row?.waiting;
      })
      .toBe(7);
    holder.kill('SIGSTOP');
    await submitTestRun(services, other.accountId, testUrls(1));
    // The transactions began together, so Postgres ends all of them together.
    await expect
      .poll(() =>
        submitTestRun(services, accountId, testUrls(1)).then(
          () => 'created',
          () => 'busy',
        ),
      )
      .toBe('created');
  } finally {
    holder.kill('SIGKILL');
  }
});
