import { AppError, createWorkflow as createWorkflow_ } from '@gleaner/contracts';
import { createExtractionPool } from '@gleaner/threads';
import { afterAll, expect, it } from 'vitest';
import { deleteParser } from '../parsers/change-parsers.ts';
import { deleteDatabase } from '../storage/databases/change-databases.ts';
import { openCronServices } from '../testing/cron-services.ts';
import { testContext } from '../testing/test-services.ts';
import { backfillCron, triggerCron } from './fire-on-demand.ts';
import { createCron, deleteCron, updateCron } from './change-crons.ts';
import { createCronFirer } from './firings/cron-firer.ts';
import { settleFirings } from './firings/fire-group.ts';
import { getCron, listCronRuns, listCrons, previewCron } from './read-crons.ts';
import { openCronAccount } from '../testing/cron-account.ts';
import { createWorkflow, deleteWorkflow } from '../workflows/change-workflows.ts';

const { submitServices, services, close } = await openCronServices();
const { sql } = services.db;
const pool = createExtractionPool({ threads: 1, timeoutMs: 100_000 });
afterAll(async () => {
  await pool.close();
  await close();
});

const none = { params: undefined, query: undefined, body: undefined, upload: undefined };
function by(id: string) {
  return { ...none, params: { id } };
}

/** One round of a scheduler, until all due crons have fired. */
async function look(): Promise<void> {
  const firer = createCronFirer(submitServices);
  await firer.look();
  await firer.settled();
}

async function refusal(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof AppError)) throw new Error(`not refused: ${String(error)}`);
  const { field, detail, hint } = error.options;
  return { code: error.code, field, detail, hint };
}

it('a cron is stored with its next run, and only its account can read it', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create({ schedule: '30 4 * * *', timezone: 'Europe/Berlin' });
  expect(cron).toMatchObject({
    id: expect.stringMatching(/^crn_/),
    enabled: true,
    overlap: 'skip',
    pause_after_failures: 10,
    catchup_seconds: null,
    inputs: null,
    input_count: 1,
    failures: 0,
    last_firing: null,
  });
  const { times } = await previewCron(account.ctx, {
    ...none,
    body: { schedule: '30 4 * * *', timezone: 'Europe/Berlin' },
  });
  expect(times).toHaveLength(10);
  expect(times[0]).toBe(cron.next_run_at);
  const steps = { ...none, body: { schedule: '0 4 */2 * MON', timezone: undefined } };
  expect((await previewCron(account.ctx, steps)).note).toMatch(/^fires on days that match \*\/2 or MON/);
  expect(await getCron(account.ctx, by(cron.id))).toEqual(cron);
  const { inputs: _, ...listed } = cron;
  expect(await listCrons(account.ctx, { ...none, query: { limit: 20, cursor: undefined } })).toMatchObject({
    crons: [listed],
  });
  const other = testContext(services, (await openCronAccount(services)).accountId);
  expect(await refusal(getCron(other, by(cron.id)))).toMatchObject({ code: 'not_found' });
  expect(await refusal(deleteCron(other, by(cron.id)))).toMatchObject({ code: 'not_found' });
  await deleteCron(account.ctx, by(cron.id));
  expect(await refusal(getCron(account.ctx, by(cron.id)))).toMatchObject({ code: 'not_found' });
});

it('each error names its field', async () => {
  const account = await openCronAccount(services, { cronLimit: 1 });
  const { ctx, body } = account;
  const create = (other: Parameters<typeof body>[0]) =>
    refusal(createCron(ctx, { ...none, body: body(other) }));
  expect(await create({ sink: undefined })).toMatchObject({ code: 'invalid_request', field: 'sink' });
  expect(await create({ sink: { mode: 'return' } })).toMatchObject({ field: 'sink' });
  expect(await create({ schedule: '* * * * *' })).toMatchObject({
    code: 'plan_limit_exceeded',
    field: 'schedule',
    detail: "two firings are only 60 s apart; the account's minimum is 300 s",
  });
  expect(await create({ schedule: '0,2 3 * * *' })).toMatchObject({ field: 'schedule' });
  expect(await create({ target: { type: 'parser', parserId: 'prs_none' } })).toMatchObject({
    code: 'not_found',
    field: 'target.parserId',
  });
  expect(await create({ target: { type: 'parser', parserId: account.parserId, version: 3 } })).toMatchObject({
    code: 'not_found',
    field: 'target.version',
  });
  const target = { type: 'workflow', workflowId: 'wfl_1' } as const;
  expect(await create({ target })).toMatchObject({ code: 'invalid_request', field: 'sink' });
  expect(await create({ target, sink: undefined })).toMatchObject({
    code: 'not_found',
    field: 'target.workflowId',
  });
  expect(await create({ url: undefined })).toMatchObject({
    field: 'url',
    detail: 'is missing',
    hint: 'Give url, inputs or source.',
  });
  expect(await create({ inputs: ['http://a.test/'] })).toMatchObject({ field: 'inputs' });
  expect(await create({ url: undefined, inputs: ['http://a.test/', 'nonsense'] })).toMatchObject({
    field: 'inputs[1]',
  });
  expect(await create({ target: { type: 'api', id: 'none' } })).toMatchObject({ field: 'target.id' });
  await account.create();
  expect(await create({})).toMatchObject({
    code: 'plan_limit_exceeded',
    detail: 'the account has reached its limit of 1 crons',
  });
});

it('a dry run reports what a firing would do, and stores nothing', async () => {
  const account = await openCronAccount(services);
  const answer = await createCron(account.ctx, {
    ...none,
    body: account.body({ url: undefined, inputs: ['http://a.test/', 'nonsense'], dry_run: true }),
  });
  expect(answer).toMatchObject({ dry_run: true, inputs: 1, refused_count: 1, credits: { most: 1 } });
  expect(await sql`SELECT 1 FROM gleaner.crons WHERE account_id = ${account.accountId}`).toHaveLength(0);
});

it('lists firings with what became of their runs', async () => {
  const account = await openCronAccount(services);
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'];
  const cron = await account.create({ url: undefined, inputs: urls });
  await account.setDue(cron.id, -1);
  await look();
  const read = async () => {
    const query = { limit: 100, cursor: undefined };
    return (await listCronRuns(account.ctx, { ...none, params: { id: cron.id }, query })).runs[0]?.run;
  };
  expect(await read()).toEqual({
    status: 'pending',
    total: 3,
    succeeded: 0,
    failed: 0,
    held: 0,
    rows: null,
    publication: 'none',
  });
  const [firing] = await account.firings(cron.id);
  await sql`
    UPDATE gleaner.runs SET state = 'succeeded', succeeded = 1, failed = 2, carved = 3, finished_at = now()
    WHERE id = ${firing?.run_id ?? ''}`;
  expect(await read()).toEqual({
    status: 'succeeded',
    total: 3,
    succeeded: 1,
    failed: 2,
    held: 0,
    rows: null,
    publication: 'none',
  });
});

it('a due cron creates one run with the pinned version, and its next run is in the future', async () => {
  const account = await openCronAccount(services);
  const target = { type: 'parser', parserId: account.parserId, version: 1 } as const;
  const cron = await account.create({
    target,
    url: undefined,
    inputs: ['http://a.test/1', 'http://a.test/2'],
  });
  const due = await account.setDue(cron.id, -1);
  await Promise.all([look(), look(), look()]);
  const firings = await account.firings(cron.id);
  expect(firings).toMatchObject([{ scheduled_at: due, outcome: 'started', cause: 'schedule', reason: null }]);
  const [run] = await sql`
    SELECT kind, name, total, mode, (target ->> 'version')::int AS version FROM gleaner.runs
    WHERE id = ${firings[0]?.run_id ?? ''}`;
  expect(run).toEqual({ kind: 'batch', name: 'nightly', total: 2, mode: 'database', version: 1 });
  expect(await getCron(account.ctx, by(cron.id))).toMatchObject({
    next_run_at: cron.next_run_at,
    last_firing: firings[0],
  });
  await look();
  expect(await account.firings(cron.id)).toHaveLength(1);
});

it.each([
  ['skip', ['started', 'skipped'], 'running'],
  ['queue', ['started', 'queued'], 'running'],
  ['replace', ['started', 'started'], 'cancelled'],
  ['allow', ['started', 'started'], 'running'],
] as const)('overlap %s: %j', async (overlap, outcomes, first) => {
  const account = await openCronAccount(services);
  const cron = await account.create({ overlap });
  await account.setDue(cron.id, -2);
  await look();
  await sql`UPDATE gleaner.runs SET state = 'running' WHERE account_id = ${account.accountId}`;
  await account.setDue(cron.id, -1);
  await look();
  const firings = (await account.firings(cron.id)).toReversed();
  expect(firings.map(({ outcome }) => outcome)).toEqual(outcomes);
  const [run] = await sql`SELECT state FROM gleaner.runs WHERE id = ${firings[0]?.run_id ?? ''}`;
  expect(run).toEqual({ state: first });
});

it('a queued firing starts after the previous run ended, and only one waits', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create({ overlap: 'queue' });
  for (const seconds of [-5, -4, -3]) {
    await account.setDue(cron.id, seconds);
    await look();
  }
  const before = (await account.firings(cron.id)).toReversed();
  expect(before.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['started', null],
    ['queued', 'overlap'],
    ['skipped', 'overlap'],
  ]);
  await look();
  expect((await account.firings(cron.id))[1]).toMatchObject({ outcome: 'queued', run_id: null });
  await account.endRun(before[0]?.run_id ?? '', 'succeeded');
  await Promise.all([look(), look()]);
  expect((await account.firings(cron.id))[1]).toMatchObject({
    outcome: 'started',
    run_id: expect.stringMatching(/^bat_/),
    scheduled_at: before[1]?.scheduled_at,
  });
});

it('missed firings have rows, and only the latest still runs if it is not too late', async () => {
  const account = await openCronAccount(services, { cronMinIntervalSeconds: 60 });
  const [kept, late] = [
    await account.create({ schedule: '* * * * *' }),
    await account.create({ catchup_seconds: 0 }),
  ];
  await sql`UPDATE gleaner.crons SET next_fire_at = date_trunc('minute', now()) - interval '10 minutes 30 seconds'
    WHERE id = ${kept.id}`;
  await account.setDue(late.id, -150);
  await look();
  const [latest, ...earlier] = await account.firings(kept.id);
  expect(latest).toMatchObject({ outcome: 'started' });
  expect(earlier.filter(({ outcome }) => outcome !== 'missed')).toEqual([]);
  // 10.5 minutes, or one more if a minute began before the claim.
  const first = Date.parse(earlier.at(-1)?.scheduled_at ?? '');
  const minutes = (Date.parse(latest?.scheduled_at ?? '') - first) / 60_000;
  expect(minutes).toBeGreaterThan(10);
  expect(earlier).toHaveLength(minutes + 0.5);
  expect(await account.firings(late.id)).toMatchObject([{ outcome: 'missed', run_id: null, fired_at: null }]);
});

it('a refused firing counts as failed, other firings of the account start, and failures pause the cron', async () => {
  const account = await openCronAccount(services, { credits: 1 });
  const small = await account.create();
  const large = await account.create({
    url: undefined,
    inputs: ['http://a.test/1', 'http://a.test/2'],
    pause_after_failures: 2,
  });
  await sql`INSERT INTO gleaner.webhooks (id, account_id, url, events, secret)
    VALUES (${`whk_${account.accountId}`}, ${account.accountId}, 'http://a.test/', '{cron.fired,cron.failed}', '')`;
  for (const id of [small.id, large.id]) await account.setDue(id, -1);
  await look();
  expect(await account.firings(small.id)).toMatchObject([{ outcome: 'started' }]);
  expect(await account.firings(large.id)).toMatchObject([
    {
      outcome: 'failed',
      // Both are due at once: either may be the first.
      reason: expect.stringMatching(/^insufficient credits \(required 2, available [01]\)$/),
      run_id: null,
    },
  ]);
  await account.setDue(large.id, -1);
  await look();
  expect(await getCron(account.ctx, by(large.id))).toMatchObject({
    enabled: false,
    next_run_at: null,
    failures: 2,
    paused_reason: '2 failures in a row; the last one: insufficient credits (required 2, available 0)',
  });
  const events =
    await sql`SELECT event FROM gleaner.outbox WHERE account_id = ${account.accountId} ORDER BY event`;
  expect(events.map(({ event }) => event as unknown)).toEqual(['cron.failed', 'cron.failed', 'cron.fired']);
  const resumed = await updateCron(account.ctx, { ...by(large.id), body: { enabled: true } });
  expect(resumed).toMatchObject({
    enabled: true,
    failures: 0,
    paused_reason: null,
    next_run_at: large.next_run_at,
  });
});

it('failed runs pause their cron, and a success resets the failures', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create({ pause_after_failures: 2 });
  for (const [state, expected] of [
    ['failed', { failures: 1, enabled: true }],
    ['succeeded', { failures: 0, enabled: true }],
    ['failed', { failures: 1, enabled: true }],
    [
      'failed',
      { failures: 2, enabled: false, paused_reason: '2 failures in a row; the last one: its run failed' },
    ],
  ] as const) {
    await account.setDue(cron.id, -1);
    await look();
    const [firing] = await account.firings(cron.id);
    await account.endRun(firing?.run_id ?? '', state);
    await Promise.all([settleFirings(services.db), settleFirings(services.db)]);
    expect(await getCron(account.ctx, by(cron.id))).toMatchObject(expected);
  }
});

it('firings fail without their sink, and for an inactive account', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create();
  await sql`DELETE FROM gleaner.databases WHERE id = ${account.databaseId}`;
  await account.setDue(cron.id, -1);
  await look();
  expect((await account.firings(cron.id))[0]).toMatchObject({
    outcome: 'failed',
    reason: 'not found (sink.database)',
  });
  const other = await openCronAccount(services);
  const idle = await other.create();
  await sql`UPDATE gleaner.accounts SET is_active = false WHERE id = ${other.accountId}`;
  await other.setDue(idle.id, -1);
  await look();
  expect((await other.firings(idle.id))[0]).toMatchObject({
    outcome: 'failed',
    reason: 'the account is not active',
  });
});

it('a trigger fires a paused cron, applies its overlap, and returns refusals', async () => {
  const account = await openCronAccount(services, { credits: 2 });
  const cron = await account.create({ enabled: false });
  expect(cron.next_run_at).toBeNull();
  expect(await triggerCron(account.ctx, by(cron.id))).toMatchObject({
    outcome: 'started',
    cause: 'trigger',
    run_id: expect.stringMatching(/^bat_/),
  });
  expect(await triggerCron(account.ctx, by(cron.id))).toMatchObject({
    outcome: 'skipped',
    reason: 'overlap',
  });
  await updateCron(account.ctx, { ...by(cron.id), body: { overlap: 'allow' } });
  await triggerCron(account.ctx, by(cron.id));
  expect(await refusal(triggerCron(account.ctx, by(cron.id)))).toMatchObject({
    code: 'insufficient_credits',
  });
  expect(await account.firings(cron.id)).toHaveLength(3);
});

it('a workflow runs as a cron does: its final stage needs a table, and replace cancels all of its stages', async () => {
  const account = await openCronAccount(services);
  const sink = { mode: 'database', database: account.databaseId, table: 'items' };
  const { ctx, parserId } = account;
  const parser = { type: 'parser', parserId } as const;
  const makeWorkflow = async (final: object): Promise<string> => {
    const stages = [
      { name: 'list', target: parser },
      { name: 'details', target: parser, from: { path: '$.title' }, ...final },
    ];
    const body = createWorkflow_.body.parse({ name: 'shop', stages });
    return (await createWorkflow({ ...ctx, services: { ...ctx.services, pool } }, { ...none, body })).id;
  };
  const cronOf = (workflowId: string, other: object = {}) =>
    account.create({
      target: { type: 'workflow', workflowId },
      sink: undefined,
      overlap: 'replace',
      ...other,
    });
  expect(await refusal(cronOf(await makeWorkflow({})))).toMatchObject({
    code: 'invalid_request',
    field: 'target.workflowId',
    detail: expect.stringContaining('details'),
  });
  const workflowId = await makeWorkflow({ sink });
  expect(await refusal(cronOf(workflowId, { scrape_config: { retries: 1 } }))).toMatchObject({
    field: 'scrape_config',
  });
  const cron = await cronOf(workflowId, { max_credits: 5 });
  const body = { ...account.body(), target: cron.target, sink: undefined, dry_run: true };
  expect(await createCron(ctx, { ...none, body })).toMatchObject({ dry_run: true, credits: { most: 1 } });
  expect(await refusal(deleteWorkflow(ctx, by(workflowId)))).toMatchObject({
    code: 'in_use',
    detail: expect.stringContaining(cron.id),
  });
  for (const _ of [1, 2]) {
    await account.setDue(cron.id, -1);
    await look();
  }
  const [second, first] = await account.firings(cron.id);
  expect([first?.outcome, second?.outcome]).toEqual(['started', 'started']);
  const rows = await sql<{ id: string; state: string; credits: string | null }[]>`
    SELECT r.id, r.state, w.max_credits::text AS credits FROM gleaner.runs r
    LEFT JOIN gleaner.workflow_runs w ON w.no = r.no WHERE r.account_id = ${account.accountId}`;
  const stateOf = new Map(rows.map(({ id, state }) => [id, state]));
  for (const part of ['', '/list', '/details']) {
    expect(stateOf.get(`${first?.run_id}${part}`)).toBe('cancelled');
    expect(stateOf.get(`${second?.run_id}${part}`)).toBe('pending');
  }
  expect(rows.find(({ id }) => id === second?.run_id)).toMatchObject({ credits: '5' });
  const changed = await updateCron(ctx, {
    ...by(cron.id),
    body: {
      target: parser,
      sink: { mode: 'database', database: account.databaseId, table: 't', contract: 'evolve', nulls: 'keep' },
    },
  });
  expect(changed).toMatchObject({ target: parser, sink: { table: 't' } });
  const back = await updateCron(ctx, { ...by(cron.id), body: { target: cron.target } });
  expect(back).toMatchObject({ target: cron.target, sink: null });
});

it('a backfill runs firings without a run, oldest first and one after another', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create({ overlap: 'allow', schedule: '0 * * * *' });
  // Its own due time doesn't come while the test runs.
  await account.setDue(cron.id, 3_600);
  const hour = 3_600_000;
  const to = Math.floor(Date.now() / hour) * hour;
  const from = new Date(to - 2 * hour).toISOString();
  await sql`UPDATE gleaner.crons SET created_at = ${from} WHERE id = ${cron.id}`;
  type Asked = Parameters<typeof backfillCron>[1]['body'];
  const body = { from, to: new Date(to).toISOString() };
  const call = (other: Asked = body) => backfillCron(account.ctx, { ...by(cron.id), body: other });
  const dry = { dry_run: true, firings: 3, inputs: 3, credits: { least: 0, expected: 3, most: 3 } };
  expect(await call({ ...body, dry_run: true })).toEqual(dry);
  expect(await call()).toEqual({ queued: 3 });
  expect(await call({ ...body, dry_run: true })).toMatchObject({ firings: 0, credits: { most: 0 } });
  expect(await call()).toEqual({ queued: 0 });
  for (let round = 0; round < 4; round += 1) {
    await look();
    const [running] = await sql<{ id: string }[]>`
      SELECT id FROM gleaner.runs WHERE account_id = ${account.accountId} AND state = 'pending'`;
    if (running) await account.endRun(running.id, 'succeeded');
  }
  const firings = await account.firings(cron.id);
  expect(firings).toHaveLength(3);
  for (const firing of firings) expect(firing).toMatchObject({ outcome: 'started', cause: 'backfill' });
  const byTime = firings.toSorted((a, b) => a.scheduled_at.localeCompare(b.scheduled_at));
  const started = byTime.map(({ fired_at: at }) => at);
  expect(started).toEqual(started.toSorted());
  expect(await call()).toEqual({ queued: 0 });
  expect(await refusal(call({ ...body, to: '2999-01-01T00:00:00.000Z' }))).toMatchObject({ field: 'to' });
  expect(await refusal(call({ ...body, from: '2020-01-01T00:00:00.000Z' }))).toMatchObject({
    field: 'from',
    detail: `the cron was made at ${from}`,
  });
  await sql`UPDATE gleaner.crons SET created_at = '2020-01-01' WHERE id = ${cron.id}`;
  expect(await refusal(call({ ...body, from: '2020-01-01T00:00:00.000Z' }))).toMatchObject({
    field: 'from',
    detail: 'from and to include more than 100 firings',
  });
});

it('resources of a cron can’t be deleted, and the error names the cron', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create();
  const expected = { code: 'in_use', detail: `used by cron ${cron.id} (nightly)` };
  expect(await refusal(deleteParser(account.ctx, by(account.parserId)))).toMatchObject(expected);
  expect(await refusal(deleteDatabase(account.ctx, by(account.databaseId)))).toMatchObject(expected);
  await deleteCron(account.ctx, by(cron.id));
  await deleteParser(account.ctx, by(account.parserId));
  await deleteDatabase(account.ctx, by(account.databaseId));
});

it('a change keeps absent fields, and moves the next run only when the schedule changes', async () => {
  const account = await openCronAccount(services);
  const cron = await account.create();
  const change = (body: Parameters<typeof updateCron>[1]['body']) =>
    updateCron(account.ctx, { ...by(cron.id), body });
  expect(await change({ name: 'hourly' })).toMatchObject({
    name: 'hourly',
    next_run_at: cron.next_run_at,
    url: cron.url,
  });
  expect(await change({ schedule: '59 23 31 12 *' })).toMatchObject({
    next_run_at: expect.stringMatching(/-12-31T23:59:00.000Z$/),
  });
  expect(await change({ inputs: ['http://a.test/1'] })).toMatchObject({
    url: null,
    inputs: ['http://a.test/1'],
  });
  expect(await change({ enabled: false })).toMatchObject({ next_run_at: null });
  expect(await refusal(change({ sink: { mode: 'return' } }))).toMatchObject({ field: 'sink' });
});
