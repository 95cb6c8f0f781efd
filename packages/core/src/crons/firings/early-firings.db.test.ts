import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { createEarlyFirings, type EarlyFirings } from './early-firings.ts';
import { createCronFirer } from './cron-firer.ts';

const { submitServices, services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

type Account = Awaited<ReturnType<typeof openCronAccount>>;

/** Waits until the crons of the account are due that will be so within 14 s. */
async function untilDue(accountId: string): Promise<void> {
  for (;;) {
    const [row] = await sql<{ left: number }[]>`
      SELECT count(*)::int AS left FROM gleaner.crons
      WHERE account_id = ${accountId} AND next_fire_at > clock_timestamp() AND next_fire_at < clock_timestamp() + interval '14 s'`;
    if (row?.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Fires what is due until a cron has started: it may know Postgres' time too late to fire at once. */
async function fireUntilStarted(early: EarlyFirings, account: Account, cronId: string): Promise<void> {
  await expect
    .poll(async () => {
      await early.fire();
      return account.firings(cronId);
    })
    .toMatchObject([{ outcome: 'started' }]);
}

it('crons that were prepared fire once in one statement, with their runs, whichever processes try it', async () => {
  const account = await openCronAccount(services);
  const crons = [];
  for (let index = 0; index < 12; index += 1) {
    const cron = await account.create({ url: `http://a.test/${index}` });
    await account.setDue(cron.id, 10);
    crons.push(cron);
  }
  const early = [createEarlyFirings(submitServices), createEarlyFirings(submitServices)];
  await Promise.all(early.map((one) => one.prepare()));
  await Promise.all(early.map((one) => one.fire()));
  for (const { id } of crons) expect(await account.firings(id)).toEqual([]);
  await untilDue(account.accountId);
  await Promise.all(early.map((one) => one.fire()));
  // What met a lock of the other process is left to the claim.
  const firer = createCronFirer(submitServices);
  await firer.look();
  await firer.settled();
  await Promise.all(early.map((one) => one.settled()));
  for (const { id } of crons) {
    const [firing, ...others] = await account.firings(id);
    expect(others).toEqual([]);
    expect(firing).toMatchObject({ outcome: 'started', cause: 'schedule' });
  }
  const [state] = await sql<Record<string, number>[]>`
    SELECT count(*)::int AS runs, sum(r.total)::int AS tasks, sum(r.reserved)::int AS reserved,
      (SELECT count(*)::int FROM gleaner.tasks t JOIN gleaner.runs o ON o.no = t.run_no
       WHERE o.account_id = ${account.accountId}) AS inputs,
      (SELECT a.reserved::int FROM gleaner.accounts a WHERE a.id = ${account.accountId}) AS held,
      (SELECT a.unfinished::int FROM gleaner.accounts a WHERE a.id = ${account.accountId}) AS unfinished,
      (SELECT sum(e.credits)::int FROM gleaner.ledger_entries e
       WHERE e.account_id = ${account.accountId} AND e.kind = 'reserve') AS entered
    FROM gleaner.runs r WHERE r.account_id = ${account.accountId}`;
  expect(state).toEqual({
    runs: 12,
    tasks: 12,
    inputs: 12,
    reserved: state?.held,
    held: 12,
    unfinished: 12,
    entered: 12,
  });
  const jobs = await services.queue.queue('batch-http').getJobs();
  expect(jobs.map(({ data }: { data: { kind?: unknown } }) => data.kind)).toContain('turn');
  const { chunks } = await createTestWorker(services).take();
  expect(chunks.length).toBeGreaterThan(0);
  const late = await sql<{ id: string }[]>`
    SELECT id FROM gleaner.crons WHERE account_id = ${account.accountId} AND next_fire_at <= clock_timestamp()`;
  expect(late).toEqual([]);
}, 60_000);

it('a cron, parser or account that changed since is left to the claim, which applies the change', async () => {
  const account = await openCronAccount(services, { credits: 3 });
  const [changed, reparsed, paused, deleted] = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => account.create({ url: `http://b.test/${index}` })),
  );
  if (!changed || !reparsed || !paused || !deleted) throw new Error('a cron is missing');
  const early = createEarlyFirings(submitServices);
  for (const { id } of [changed, reparsed, paused, deleted]) await account.setDue(id, 6);
  await early.prepare();
  await sql`UPDATE gleaner.crons SET url = 'http://b.test/new', definition = definition + 1 WHERE id = ${changed.id}`;
  await sql`UPDATE gleaner.crons SET is_enabled = false, next_fire_at = NULL WHERE id = ${paused.id}`;
  await sql`DELETE FROM gleaner.crons WHERE id = ${deleted.id}`;
  await sql`UPDATE gleaner.parsers SET version = 1, updated_at = updated_at + interval '1 s' WHERE id = ${account.parserId}`;
  await untilDue(account.accountId);
  await early.fire();
  expect(await account.firings(reparsed.id)).toEqual([]);
  const firer = createCronFirer(submitServices);
  await firer.look();
  await firer.settled();
  expect(await account.firings(paused.id)).toEqual([]);
  const runs = await sql<{ version: number; input: string }[]>`
    SELECT (r.target ->> 'version')::int AS version, t.input FROM gleaner.runs r
    JOIN gleaner.tasks t ON t.run_no = r.no WHERE r.account_id = ${account.accountId} ORDER BY t.input`;
  expect(runs).toEqual([
    { version: 1, input: 'http://b.test/1' },
    { version: 1, input: 'http://b.test/new' },
  ]);
});

it('credits for a part of an account’s firings start that part, and the others count as failed', async () => {
  const poor = await openCronAccount(services, { credits: 2 });
  const rich = await openCronAccount(services);
  const own = await Promise.all(
    Array.from({ length: 3 }, (_, index) => poor.create({ url: `http://c.test/${index}` })),
  );
  const other = await rich.create();
  const early = createEarlyFirings(submitServices);
  for (const { id } of own) await poor.setDue(id, 6);
  await rich.setDue(other.id, 6);
  await early.prepare();
  await untilDue(poor.accountId);
  await untilDue(rich.accountId);
  await fireUntilStarted(early, rich, other.id);
  const firer = createCronFirer(submitServices);
  await firer.look();
  await firer.settled();
  const outcomes = (await Promise.all(own.map(({ id }) => poor.firings(id)))).map(([one]) => one?.outcome);
  expect(outcomes.toSorted()).toEqual(['failed', 'started', 'started']);
});

it('a cron of a prebuilt API fires alone, and keeps its name and inputs', async () => {
  const account = await openCronAccount(services);
  const name = 'two\n"lines"\\n';
  const inputs = [{ query: 'a' }, { query: 'b\n"c"' }];
  const cron = await account.create({
    name,
    target: { type: 'api', id: 'videosite-search' },
    url: undefined,
    inputs,
  });
  const early = createEarlyFirings(submitServices);
  await account.setDue(cron.id, 6);
  await early.prepare();
  await untilDue(account.accountId);
  await fireUntilStarted(early, account, cron.id);
  const runs = await sql<Record<string, unknown>[]>`
    SELECT r.name, r.target, r.sink ->> 'table' AS table, r.webhook_url,
      ARRAY(SELECT t.input::json FROM gleaner.tasks t WHERE t.run_no = r.no ORDER BY t.seq) AS inputs
    FROM gleaner.runs r WHERE r.account_id = ${account.accountId}`;
  expect(runs).toEqual([
    { name, target: { type: 'api', id: 'videosite-search' }, table: 'items', webhook_url: null, inputs },
  ]);
});
