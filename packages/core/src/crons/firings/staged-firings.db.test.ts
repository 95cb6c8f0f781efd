import { eq, inArray, sql as drizzleSql } from 'drizzle-orm';
import { ENGINE, tables } from '@gleaner/db';
import { afterAll, expect, it } from 'vitest';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { createEarlyFirings } from './early-firings.ts';
import { prepareEarly, type EarlyFiring } from './early-firing.ts';
import { fireStaged, type StagedFirings } from './staged-firings.ts';

const { submitServices, services, close } = await openCronServices();
const { sql, orm } = services.db;
afterAll(close);

type Account = Awaited<ReturnType<typeof openCronAccount>>;

/** Copies a cron of the account. */
async function addCrons(account: Account, count: number): Promise<string[]> {
  const { id } = await account.create();
  const ids = Array.from({ length: count }, (_, index) => `${id}_${index}`);
  await sql`
    INSERT INTO gleaner.crons (id, account_id, name, description, url, input_count, schedule, timezone, target, scrape_config,
      sink, is_enabled, overlap, pause_after_failures, next_fire_at)
    SELECT n.id, c.account_id, c.name, '', c.url || n.id, 1, c.schedule, 'UTC', c.target, '{}', c.sink, true, 'skip', 10,
      c.next_fire_at
    FROM gleaner.crons c, unnest(${ids}::text[]) n (id) WHERE c.id = ${id}`;
  return ids;
}

/** Makes crons due at one time, and prepares them. */
async function prepareDue(ids: readonly string[], inSeconds: number): Promise<EarlyFiring[]> {
  const rows = await orm
    .update(tables.crons)
    .set({ nextFireAt: drizzleSql`date_trunc('milliseconds', now()) + ${inSeconds} * interval '1 second'` })
    .where(inArray(tables.crons.id, [...ids]))
    .returning();
  const firings = rows.map((row) => prepareEarly(submitServices, row, Date.parse(row.nextFireAt ?? '')));
  return (await Promise.all(firings)).filter((one) => one !== undefined);
}

/** The time in which a test does something with crons that are staged. */
const STAGED_SECONDS = 4;

/** @returns the firing of crons when they have been staged */
async function stage(ids: readonly string[]): Promise<{ firing: Promise<StagedFirings>; pid: number }> {
  const firing = fireStaged(submitServices, await prepareDue(ids, STAGED_SECONDS), () => 1);
  const pids = (): Promise<{ pid: number }[]> => sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  await expect.poll(pids).toHaveLength(1);
  return { firing, pid: (await pids())[0]?.pid ?? 0 };
}

/** What there is of the account's firings; `held`: credits reserved, `entered`: those of the ledger. */
async function stateOf({ accountId }: Account): Promise<Record<string, number> | undefined> {
  const [state] = await sql<Record<string, number>[]>`
    SELECT a.reserved::int AS held, a.unfinished::int AS unfinished,
      (SELECT count(*)::int FROM gleaner.runs r WHERE r.account_id = a.id) AS runs,
      (SELECT count(*)::int FROM gleaner.tasks t JOIN gleaner.runs r ON r.no = t.run_no WHERE r.account_id = a.id) AS tasks,
      (SELECT count(*)::int FROM gleaner.cron_firings f WHERE f.account_id = a.id) AS firings,
      (SELECT coalesce(sum(l.credits), 0)::int FROM gleaner.ledger_entries l
       WHERE l.account_id = a.id AND l.kind = 'reserve') AS entered,
      (SELECT count(*)::int FROM gleaner.crons c WHERE c.account_id = a.id AND c.next_fire_at <= now() + interval '1 minute') AS due
    FROM gleaner.accounts a WHERE a.id = ${accountId}`;
  return state;
}

const nothing = { held: 0, unfinished: 0, runs: 0, tasks: 0, firings: 0, entered: 0 };

function all(count: number): typeof nothing {
  return { held: count, unfinished: count, runs: count, tasks: count, firings: count, entered: count };
}

it('staged crons fire together, and nobody sees any of it before', async () => {
  const accounts = [await openCronAccount(services), await openCronAccount(services)];
  const ids = await Promise.all(accounts.map((account) => addCrons(account, 3)));
  const { firing } = await stage(ids.flat());
  for (const account of accounts) expect(await stateOf(account)).toEqual({ ...nothing, due: 3 });
  const { started, held, left } = await firing;
  expect([started.length, held.length, left.length]).toEqual([6, 0, 0]);
  for (const account of accounts) expect(await stateOf(account)).toEqual({ ...all(3), due: 0 });
  expect(await accounts[0]?.firings(ids[0]?.[0] ?? '')).toMatchObject([
    { outcome: 'started', cause: 'schedule', run_id: expect.stringMatching(/^bat_/) },
  ]);
});

it('takes back the firings of accounts that are refused, locked or changed, and fires the others', async () => {
  const poor = await openCronAccount(services, { credits: 2 });
  const locked = await openCronAccount(services);
  const inactive = await openCronAccount(services);
  const changed = await openCronAccount(services);
  const good = await openCronAccount(services);
  const accounts = [poor, locked, inactive, changed, good];
  const ids = await Promise.all(accounts.map((account) => addCrons(account, 3)));
  const { firing } = await stage(ids.flat());
  await sql`UPDATE gleaner.accounts SET is_active = false WHERE id = ${inactive.accountId}`;
  await sql`UPDATE gleaner.parsers SET updated_at = updated_at + interval '1 s' WHERE id = ${changed.parserId}`;
  const { started, left } = await sql.begin(async (tx) => {
    await tx`SELECT ${tx(ENGINE)}.lock_account(${locked.accountId})`;
    return firing;
  });
  expect(started.map(({ account }) => account)).toEqual(Array(3).fill(good.accountId));
  expect(left).toHaveLength(12);
  expect(await stateOf(good)).toEqual({ ...all(3), due: 0 });
  for (const account of [poor, locked, inactive, changed])
    expect(await stateOf(account)).toEqual({ ...nothing, due: 3 });
});

it('a change of a staged cron waits, and counts for the next time', async () => {
  const account = await openCronAccount(services);
  const [id = ''] = await addCrons(account, 1);
  const { firing } = await stage([id]);
  const changing =
    sql`UPDATE gleaner.crons SET is_enabled = false, next_fire_at = NULL WHERE id = ${id}`.execute();
  await expect
    .poll(
      () =>
        sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%is_enabled = false, next%'`,
    )
    .toHaveLength(1);
  expect((await firing).started).toHaveLength(1);
  await changing;
  expect(await stateOf(account)).toEqual({ ...all(1), due: 0 });
  const [row] = await orm.select().from(tables.crons).where(eq(tables.crons.id, id));
  expect(row).toMatchObject({ isEnabled: false, nextFireAt: null });
});

it('leaves crons that somebody holds, that have an unfinished run, that changed, or whose firings are events', async () => {
  const account = await openCronAccount(services);
  const listening = await openCronAccount(services);
  const [heard = ''] = await addCrons(listening, 1);
  await sql`INSERT INTO gleaner.webhooks (id, account_id, url, events, secret)
    VALUES (${`whk_${listening.accountId}`}, ${listening.accountId}, 'http://a.test/', '{cron.fired}', '')`;
  const [held = '', busy = '', changed = '', good = ''] = await addCrons(account, 4);
  await fireStaged(submitServices, await prepareDue([busy], 0.1), () => 1);
  const firings = await prepareDue([held, busy, changed, heard, good], 0.5);
  await sql`UPDATE gleaner.crons SET definition = definition + 1 WHERE id = ${changed}`;
  const result = await sql.begin(async (tx) => {
    await tx`SELECT 1 FROM gleaner.crons WHERE id = ${held} FOR UPDATE`;
    return fireStaged(submitServices, firings, () => 1);
  });
  expect(result.started.map(({ cron }) => cron)).toEqual([good]);
  expect(result.held.map(({ cron }) => cron).toSorted()).toEqual([held, busy, changed, heard].toSorted());
  expect(result.left).toEqual([]);
});

it('stages nothing after the due time', async () => {
  const account = await openCronAccount(services);
  const firings = await prepareDue(await addCrons(account, 2), -1);
  const { started, held, left } = await fireStaged(submitServices, firings, () => 0);
  expect([started, held, left.length]).toEqual([[], [], 2]);
  expect(await stateOf(account)).toEqual({ ...nothing, due: 2 });
});

it('leaves everything due when its transaction fails', async () => {
  const account = await openCronAccount(services);
  const { firing, pid } = await stage(await addCrons(account, 3));
  await sql`SELECT pg_cancel_backend(${pid})`;
  const { started, left } = await firing;
  expect([started.length, left.length]).toEqual([0, 3]);
  expect(await stateOf(account)).toEqual({ ...nothing, due: 3 });
});

/** 400 crons of ten accounts, due in 7 s, which processes prepare and fire. @returns their ids */
async function fireMany(processes: number): Promise<string[]> {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => openCronAccount(services)));
  const ids = (await Promise.all(accounts.map((account) => addCrons(account, 40)))).flat();
  await sql`UPDATE gleaner.crons SET next_fire_at = date_trunc('second', now()) + interval '7 s' WHERE id = ANY (${ids})`;
  const early = Array.from({ length: processes }, () => createEarlyFirings(submitServices));
  for (;;) {
    await Promise.all(early.map((one) => one.prepare()));
    await Promise.all(early.map((one) => one.fire()));
    const [row] = await sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM gleaner.crons WHERE id = ANY (${ids}) AND next_fire_at <= now() + interval '1 minute'`;
    if (row?.n === 0) break;
  }
  await Promise.all(early.map((one) => one.settled()));
  for (const account of accounts) expect(await stateOf(account)).toEqual({ ...all(40), due: 0 });
  return ids;
}

it('many crons of one instant fire together', async () => {
  const ids = await fireMany(1);
  const transactions = await sql<{ firings: number }[]>`
    SELECT count(*)::int AS firings FROM gleaner.cron_firings WHERE cron_id = ANY (${ids}) GROUP BY xmin::text`;
  // A busy machine may stage a part. Without staging each hundred has its own.
  expect(Math.max(...transactions.map(({ firings }) => firings))).toBeGreaterThan(100);
}, 60_000);

it('many crons of one instant fire once, though several processes stage them', async () => {
  const ids = await fireMany(3);
  expect(await sql`SELECT 1 FROM gleaner.cron_firings WHERE cron_id = ANY (${ids})`).toHaveLength(400);
}, 60_000);
