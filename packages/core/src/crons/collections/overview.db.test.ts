import { afterAll, expect, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import type { OutputOf } from '../../platform/context.ts';
import { openCronAccount } from '../../testing/cron-account.ts';
import { openCronServices } from '../../testing/cron-services.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { listCollections } from './collections.ts';
import { getOverview } from './overview.ts';

const { services, close } = await openCronServices();
const { sql } = services.db;
afterAll(close);

const none = { params: undefined, query: undefined, body: undefined, upload: undefined };
const worker = createTestWorker(services, 'wrk_overview');

type Account = Awaited<ReturnType<typeof openCronAccount>>;
type RunOptions = Parameters<typeof submitTestRun>[3];

function collectionsOf({ ctx }: Account, limit = 20, cursor?: string, id?: string) {
  return listCollections(ctx, { ...none, query: { limit, cursor, id } });
}

/** A batch whose first pages succeed and whose others fail, each for the reason at its place. */
async function endRun(
  { accountId }: Account,
  { succeeded, failed, ...options }: NonNullable<RunOptions> & { succeeded: number; failed: string[] },
) {
  const total = succeeded + failed.length;
  const run = await submitTestRun(services, accountId, testUrls(total), options);
  const chunk = await worker.takeOf(run.no);
  if (!chunk) throw new Error('nothing to run');
  const places = Array.from({ length: succeeded }, (_, place) => place);
  await worker.end(
    chunk,
    {
      succeeded: places,
      answers: places.map(() => '{}'),
      failed: failed.map((_, place) => succeeded + place),
      errors: failed.map((detail) => ({ code: 'fetch_failed', detail })),
    },
    { retries: [], left: [], busyMs: 1 },
  );
  return run;
}

async function fire(account: Account, cron: string, outcome: string, run: string | null): Promise<void> {
  await sql`
    INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, outcome, cause, run_id)
    VALUES (${createId('firing')}, ${cron}, ${account.accountId}, now(), ${outcome}, 'trigger', ${run})`;
}

function inShort(runs: OutputOf<'listCollections'>['collections'][number]['runs']) {
  return runs.map(({ outcome, status, succeeded, failed }) => [outcome, status, succeeded, failed]);
}

it('lists crons and parsers with a table, the latest run first, with their runs and credits', async () => {
  const account = await openCronAccount(services);
  const { parserId, databaseId } = account;
  const quiet = await account.create({ name: 'never fired' });
  const nightly = await account.create({ name: 'nightly' });
  const sink = {
    mode: 'database',
    database: databaseId,
    table: 'kettles',
    contract: 'evolve',
    nulls: 'keep',
  };
  const target = { type: 'parser', parserId, version: 1 } as const;
  const batch = await endRun(account, { succeeded: 2, failed: [], target });
  const table = await endRun(account, { succeeded: 3, failed: [], target });
  // Only the second fills a table.
  await sql`UPDATE gleaner.runs SET sink = ${JSON.stringify(sink)}::text::jsonb WHERE id = ${table.id}`;
  const fired = await endRun(account, {
    succeeded: 1,
    failed: ['the target answered with status 503'],
    target,
    by: { keyId: 'key_test', cronId: nightly.id },
  });
  await fire(account, nightly.id, 'started', fired.id);
  await fire(account, nightly.id, 'skipped', null);

  const { collections } = await collectionsOf(account);
  expect(collections.map(({ id, kind, table: into, credits }) => [id, kind, into, credits])).toEqual([
    [nightly.id, 'cron', 'items', 1],
    [parserId, 'parser', 'kettles', 5],
    [quiet.id, 'cron', 'items', 0],
  ]);
  const [cron, parser] = collections;
  expect(inShort(cron?.runs ?? [])).toEqual([
    ['skipped', null, 0, 0],
    ['started', 'succeeded', 1, 1],
  ]);
  expect(parser).toMatchObject({ database: databaseId, schedule: null, next_run_at: null });
  expect(parser?.runs.map(({ run_id: id }) => id)).toEqual([table.id]);
  expect(parser?.runs.map(({ run_id: id }) => id)).not.toContain(batch.id);
  expect(collections[2]).toMatchObject({ runs: [], next_run_at: quiet.next_run_at });
});

it('reads the list page by page, and none of another account', async () => {
  const account = await openCronAccount(services);
  const other = await openCronAccount(services);
  await other.create();
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) ids.push((await account.create({ name })).id);
  const first = await collectionsOf(account, 2);
  expect(first.pagination.has_more).toBe(true);
  const second = await collectionsOf(account, 2, first.pagination.cursor ?? undefined);
  expect([...first.collections, ...second.collections].map(({ id }) => id)).toEqual(ids.toReversed());
  expect(second.pagination).toEqual({ cursor: null, has_more: false });
  const one = await collectionsOf(account, 2, undefined, ids[1]);
  expect(one.collections.map(({ name }) => name)).toEqual(['two']);
  expect((await collectionsOf(other, 2, undefined, ids[1])).collections).toEqual([]);
  await expect(collectionsOf(account, 2, 'bm90')).rejects.toThrow(/invalid request/);
});

it('shows at most thirty runs of a collection, the latest', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create();
  for (let place = 0; place < 32; place += 1)
    await fire(account, cron.id, place === 31 ? 'missed' : 'skipped', null);
  const { collections } = await collectionsOf(account);
  expect(collections[0]?.runs).toHaveLength(30);
  expect(collections[0]?.runs[0]?.outcome).toBe('missed');
});

it('says what failed in a day by cause and run, what paused itself and what runs next', async () => {
  const account = await openCronAccount(services);
  const target = { type: 'parser', parserId: account.parserId, version: 1 } as const;
  const busy = 'the target answered with status 503';
  const gone = 'the target answered with status 404';
  const first = await endRun(account, { succeeded: 1, failed: [busy, busy, gone], target });
  const second = await endRun(account, { succeeded: 0, failed: [busy], target });
  const old = await endRun(account, { succeeded: 0, failed: [gone], target });
  await sql`UPDATE gleaner.runs SET created_at = now() - interval '25 hours' WHERE id = ${old.id}`;
  const job = await endRun(account, {
    id: createId('job'),
    kind: 'job',
    succeeded: 0,
    failed: [busy],
    target,
  });
  const paused = await account.create({ name: 'paused', enabled: false });
  await account.create({ name: 'switched off', enabled: false });
  await sql`UPDATE gleaner.crons SET paused_reason = '10 failures in a row' WHERE id = ${paused.id}`;
  const later = await account.create({ name: 'later' });
  const soon = await account.create({ name: 'soon' });
  await account.setDue(soon.id, 60);

  const { causes, ...rest } = await getOverview(account.ctx, none);
  expect(causes.map(({ count, jobs, runs, error }) => ({ count, jobs, runs, error }))).toEqual([
    { count: 4, jobs: 1, runs: [second.id, first.id], error: 'fetch failed' },
    { count: 1, jobs: 0, runs: [first.id], error: 'fetch failed' },
  ]);
  expect(causes[0]?.example.detail).toBe(busy);
  expect(causes[0]?.runs).not.toContain(job.id);
  expect(rest.paused).toEqual([{ id: paused.id, name: 'paused', reason: '10 failures in a row' }]);
  expect(rest.upcoming.map(({ id }) => id)).toEqual([soon.id, later.id]);
  const other = await openCronAccount(services);
  expect(await getOverview(other.ctx, none)).toEqual({ causes: [], paused: [], upcoming: [] });
});

it('adds up what the runs of a day changed, where tables keep their changes', async () => {
  const account = await openCronAccount(services);
  const nightly = await account.create({ name: 'nightly' });
  const quiet = await account.create({ name: 'quiet' });
  const target = { type: 'parser', parserId: account.parserId, version: 1 } as const;
  const by = { keyId: 'key_test', cronId: nightly.id };
  const [first, second] = [
    await endRun(account, { succeeded: 1, failed: [], target, by }),
    await endRun(account, { succeeded: 1, failed: [], target, by }),
  ];
  const old = await endRun(account, {
    id: 'bat_00000000000000000000000000',
    succeeded: 1,
    failed: [],
    target,
    by,
  });
  await sql`
    UPDATE gleaner.runs SET rows_new = 3, rows_changed = 2, rows_removed = 1, rows_returned = 0
    WHERE id IN (${first.id}, ${second.id}, ${old.id})`;
  await fire(account, nightly.id, 'started', first.id);
  const { collections } = await collectionsOf(account);
  expect(collections.map(({ id, changed }) => [id, changed])).toEqual([
    [nightly.id, { new: 6, changed: 4, removed: 2, returned: 0 }],
    [quiet.id, null],
  ]);
  expect(collections[0]?.runs[0]?.rows).toEqual({ new: 3, changed: 2, removed: 1, returned: 0 });
});
