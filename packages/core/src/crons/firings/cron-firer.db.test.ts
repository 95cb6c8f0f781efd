import { ENGINE } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { createCronFirer } from './cron-firer.ts';

const { submitServices, services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

type Account = Awaited<ReturnType<typeof openCronAccount>>;

/** Copies a cron of the account, so that all are due together. */
async function addCrons(account: Account, count: number, seconds = -1): Promise<string[]> {
  const { id } = await account.create();
  const ids = Array.from({ length: count }, (_, index) => `${id}_${index}`);
  await sql`
    INSERT INTO gleaner.crons (id, account_id, name, description, url, input_count, schedule, timezone, target, scrape_config,
      sink, is_enabled, overlap, pause_after_failures, next_fire_at)
    SELECT n.id, c.account_id, c.name, '', c.url || n.id, 1, c.schedule, 'UTC', c.target, '{}', c.sink, true, 'skip', 10,
      statement_timestamp() + ${seconds} * interval '1 second'
    FROM gleaner.crons c, unnest(${ids}::text[]) n (id) WHERE c.id = ${id}`;
  return ids;
}

/** Rounds of a scheduler, until it has fired all that it claimed. */
async function look(): Promise<void> {
  const firer = createCronFirer(submitServices);
  await firer.look();
  await firer.settled();
}

/**
 * Rounds until none of these crons is due. On a slow machine a round leaves some: a preparation may give its lane to others, and
 * a group may give up a lock. Their leases end at once here.
 */
async function lookUntilFired(ids: readonly string[]): Promise<void> {
  for (;;) {
    const due = await sql`
      UPDATE gleaner.crons SET leased_until = NULL WHERE id = ANY (${ids}::text[]) AND next_fire_at <= now() RETURNING id`;
    if (due.length === 0) return;
    await look();
  }
}

async function outcomesOf({ accountId }: Account): Promise<Record<string, number>> {
  const rows = await sql<{ outcome: string; n: number }[]>`
    SELECT outcome, count(*)::int AS n FROM gleaner.cron_firings WHERE account_id = ${accountId} GROUP BY outcome`;
  return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]));
}

/** What there is of the account's runs; `held`: credits reserved, `entered`: those of the ledger. */
async function stateOf({ accountId }: Account): Promise<Record<string, number> | undefined> {
  const [state] = await sql<Record<string, number>[]>`
    SELECT a.reserved::int AS held, a.unfinished::int AS unfinished,
      (SELECT count(*)::int FROM gleaner.runs r WHERE r.account_id = a.id) AS runs,
      (SELECT count(*)::int FROM gleaner.tasks t JOIN gleaner.runs r ON r.no = t.run_no WHERE r.account_id = a.id) AS tasks,
      (SELECT coalesce(sum(l.credits), 0)::int FROM gleaner.ledger_entries l
       WHERE l.account_id = a.id AND l.kind = 'reserve') AS entered
    FROM gleaner.accounts a WHERE a.id = ${accountId}`;
  return state;
}

function all(count: number) {
  return { held: count, unfinished: count, runs: count, tasks: count, entered: count };
}

it('many crons fire in few transactions, each once, though several processes try', async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => openCronAccount(services)));
  const crons = await Promise.all(accounts.map((account) => addCrons(account, 40)));
  await Promise.all([look(), look(), look()]);
  // A process leaves what another one holds.
  await lookUntilFired(crons.flat());
  for (const account of accounts) {
    expect(await outcomesOf(account)).toEqual({ started: 40 });
    expect(await stateOf(account)).toEqual(all(40));
  }
  const [row] = await sql<{ transactions: number }[]>`
    SELECT count(DISTINCT xmin::text)::int AS transactions FROM gleaner.cron_firings
    WHERE account_id = ANY (${accounts.map(({ accountId }) => accountId)}::text[])`;
  expect(row?.transactions).toBeLessThan(100);
  const jobs = await services.queue.queue('batch-http').getJobs();
  expect(jobs.map(({ data }: { data: { kind?: unknown } }) => data.kind)).toContain('turn');
  const { chunks } = await createTestWorker(services).take();
  expect(chunks.length).toBeGreaterThan(0);
});

it('an account that is locked, refused or inactive delays no other', async () => {
  const poor = await openCronAccount(services, { credits: 2 });
  const inactive = await openCronAccount(services);
  const locked = await openCronAccount(services);
  const good = await openCronAccount(services);
  const crons = await Promise.all([poor, inactive, locked, good].map((account) => addCrons(account, 5)));
  await sql`UPDATE gleaner.accounts SET is_active = false WHERE id = ${inactive.accountId}`;
  const firer = createCronFirer(submitServices);
  await sql.begin(async (tx) => {
    await tx`SELECT ${tx(ENGINE)}.lock_accounts(ARRAY[${locked.accountId}], 0)`;
    await firer.look();
    await expect.poll(() => outcomesOf(good)).toEqual({ started: 5 });
    await expect.poll(() => outcomesOf(poor)).toEqual({ started: 2, failed: 3 });
    await expect.poll(() => outcomesOf(inactive)).toEqual({ failed: 5 });
    expect(await outcomesOf(locked)).toEqual({});
  });
  await firer.settled();
  await lookUntilFired(crons.flat());
  expect(await outcomesOf(locked)).toEqual({ started: 5 });
  expect(await stateOf(poor)).toEqual(all(2));
  expect(await stateOf(inactive)).toEqual(all(0));
});

it('runs are prepared before the due time, and start after it as the cron then is', async () => {
  const account = await openCronAccount(services);
  const [kept = '', changed = '', paused = '', deleted = ''] = await addCrons(account, 4, 1);
  const { promise: changes, resolve: haveChanged } = Promise.withResolvers<void>();
  const { db } = submitServices;
  const transact: typeof db.transact = (work) => changes.then(() => db.transact(work));
  const firer = createCronFirer({ ...submitServices, db: { ...db, transact } });
  await firer.look();
  await sql`
    UPDATE gleaner.crons SET url = 'http://a.test/new', definition = definition + 1, leased_until = NULL WHERE id = ${changed}`;
  await sql`UPDATE gleaner.crons SET is_enabled = false, next_fire_at = NULL WHERE id = ${paused}`;
  await sql`DELETE FROM gleaner.crons WHERE id = ${deleted}`;
  haveChanged();
  await firer.settled();
  expect(await account.firings(kept)).toMatchObject([{ outcome: 'started', cause: 'schedule' }]);
  expect(await account.firings(changed)).toEqual([]);
  await look();
  expect(await account.firings(paused)).toEqual([]);
  const early = await sql`
    SELECT id FROM gleaner.cron_firings WHERE account_id = ${account.accountId} AND fired_at < scheduled_at`;
  expect(early).toEqual([]);
  const inputs = await sql<{ input: string }[]>`
    SELECT t.input FROM gleaner.runs r JOIN gleaner.tasks t ON t.run_no = r.no
    WHERE r.account_id = ${account.accountId} ORDER BY t.input`;
  expect(inputs.map(({ input }) => input)).toEqual([`http://a.test/list${kept}`, 'http://a.test/new']);
});

it('what Postgres refuses is tried alone, a few times, and has then failed', async () => {
  const bad = await openCronAccount(services);
  const good = await openCronAccount(services);
  const [refused = ''] = await addCrons(bad, 1);
  await addCrons(good, 5);
  await sql.unsafe(`
    CREATE FUNCTION gleaner.refuse_run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE TRIGGER refuse_run BEFORE INSERT ON gleaner.runs FOR EACH ROW WHEN (NEW.account_id = '${bad.accountId}')
    EXECUTE FUNCTION gleaner.refuse_run()`);
  try {
    const firer = createCronFirer(submitServices);
    for (let round = 0; round < 3; round += 1) {
      expect(await bad.firings(refused)).toEqual([]);
      await sql`UPDATE gleaner.crons SET leased_until = NULL WHERE id = ${refused}`;
      await firer.look();
      await firer.settled();
    }
  } finally {
    await sql`DROP TRIGGER refuse_run ON gleaner.runs`;
    await sql`DROP FUNCTION gleaner.refuse_run`;
  }
  expect(await outcomesOf(good)).toEqual({ started: 5 });
  expect(await bad.firings(refused)).toMatchObject([{ outcome: 'failed', reason: 'internal error' }]);
  expect(await stateOf(bad)).toEqual(all(0));
});

it('a cron of a prebuilt API keeps its name and inputs', async () => {
  const account = await openCronAccount(services);
  const name = 'two\n"lines"\\n';
  const inputs = [{ query: 'a' }, { query: 'b\n"c"' }];
  const cron = await account.create({
    name,
    target: { type: 'api', id: 'videosite-search' },
    url: undefined,
    inputs,
  });
  await account.setDue(cron.id, -1);
  await look();
  const runs = await sql<Record<string, unknown>[]>`
    SELECT r.name, r.target, r.sink ->> 'table' AS table, r.webhook_url,
      ARRAY(SELECT t.input::json FROM gleaner.tasks t WHERE t.run_no = r.no ORDER BY t.seq) AS inputs
    FROM gleaner.runs r WHERE r.account_id = ${account.accountId}`;
  expect(runs).toEqual([
    { name, target: { type: 'api', id: 'videosite-search' }, table: 'items', webhook_url: null, inputs },
  ]);
});
