import { AppError } from '@gleaner/contracts';
import { afterAll, expect, it } from 'vitest';
import { createSubmitServices, createTestParser } from '../../testing/submit-services.ts';
import { testUrls } from '../../testing/submit-test-run.ts';
import { createTestWorker } from '../../testing/test-worker.ts';
import { createTestAccount, openTestServices, testContext } from '../../testing/test-services.ts';
import { dryRun } from './dry-run.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { prepareRun, submitRun } from './prepare-run.ts';
import { listInputs, singleInput } from './run-inputs.ts';
import type { RunSubmission } from './run-submission.ts';

const { services, close } = await openTestServices();
const submitServices = createSubmitServices(services);
const { sql } = services.db;
afterAll(async () => {
  await submitServices.external.close();
  await close();
});

/** Fewer inputs would stay in memory. */
const MANY = 1_500;

async function openAccount(credits = 10_000) {
  const { accountId } = await createTestAccount(services, { credits });
  const parserId = await createTestParser(services, accountId, [
    { fields: { title: 'h1' } },
    { fields: { title: 'h2' } },
  ]);
  const submission = (urls: readonly unknown[], other: Partial<RunSubmission> = {}): RunSubmission => ({
    accountId,
    origin: { type: 'batch', name: 'nightly' },
    target: { type: 'parser', parserId },
    inputs: () => listInputs('inputs', urls),
    bounds: { maxInputs: 10_000 },
    ...other,
  });
  return { accountId, parserId, submission };
}

/** Submits as a call without further rows does. */
async function submit(submission: RunSubmission): Promise<string> {
  const run = await prepareRun(submitServices, submission);
  return submitRun(testContext(services, submission.accountId), run, () => Promise.resolve(run.id));
}

async function readRun(id: string) {
  const [row] = await sql<Record<string, unknown>[]>`
    SELECT kind, name, state, mode, queue, total, price, (target ->> 'version')::int AS version,
      (SELECT count(*)::int FROM gleaner.tasks t WHERE t.run_no = r.no) AS tasks,
      (SELECT min(t.input) FROM gleaner.tasks t WHERE t.run_no = r.no AND t.seq = 0) AS first
    FROM gleaner.runs r WHERE id = ${id}`;
  return row;
}

/** How many messages in the queue call a worker. */
async function countCalls(): Promise<number> {
  const jobs = await services.queue.queue('batch-http').getJobs();
  return jobs.filter(({ data }: { data: { kind?: unknown } }) => data.kind === 'turn').length;
}

/** Whether the account has no run, and no stored inputs without a run. */
async function isUntouched(accountId: string): Promise<boolean> {
  const [row] = await sql<{ runs: number; orphans: number }[]>`
    SELECT (SELECT count(*)::int FROM gleaner.runs WHERE account_id = ${accountId}) AS runs,
      (SELECT count(*)::int FROM gleaner.tasks t WHERE NOT EXISTS (SELECT FROM gleaner.runs r WHERE r.no = t.run_no))
        AS orphans`;
  return row?.runs === 0 && row.orphans === 0;
}

async function readNo(id: string): Promise<string> {
  const [row] = await services.db.sql<{ no: string }[]>`SELECT no::text FROM gleaner.runs WHERE id = ${id}`;
  return row?.no ?? '';
}

it.each([3, MANY])('%i inputs become the tasks of a run that a worker is called for', async (count) => {
  const { submission } = await openAccount();
  const calls = await countCalls();
  const id = await submit(submission(testUrls(count)));
  expect(await readRun(id)).toEqual({
    kind: 'batch',
    name: 'nightly',
    state: 'pending',
    mode: 'return',
    queue: 'batch-http',
    total: count,
    price: 1,
    version: 2,
    tasks: count,
    first: testUrls(1)[0],
  });
  expect(await countCalls()).toBe(calls + 1);
  const no = await readNo(id);
  expect(await createTestWorker(services).takeOf(no)).toMatchObject({ run: no });
});

it('the origin decides the id and the kind of a run', async () => {
  const { submission } = await openAccount();
  const job = await submit(
    submission([], { origin: { type: 'job' }, inputs: () => singleInput('url', 'http://a.test/') }),
  );
  expect(job).toMatch(/^job_/);
  expect(await readRun(job)).toMatchObject({ kind: 'job', name: null, total: 1 });
  expect(await submit(submission(testUrls(1)))).toMatch(/^bat_/);
});

it('a pinned version runs, and a version that does not exist is refused', async () => {
  const { submission, parserId } = await openAccount();
  const pin = (version: number) => submission(testUrls(1), { target: { type: 'parser', parserId, version } });
  const id = await submit(pin(1));
  expect(await readRun(id)).toMatchObject({ version: 1 });
  for (const version of [3, 0, 1.5]) {
    await expect(submit(pin(version))).rejects.toMatchObject({
      code: 'not_found',
      options: { field: 'target.version', detail: `the parser has no version ${version}` },
    });
  }
});

it('the run and the rows of its call commit together', async () => {
  const { accountId, submission } = await openAccount();
  const name = `fired ${accountId}`;
  const record = (value: string) => sql`SELECT 1 FROM gleaner.settings WHERE name = ${value}`;
  const run = await prepareRun(submitServices, submission(testUrls(2)));
  await submitRun(testContext(services, accountId), run, (tx) =>
    tx.execute(`INSERT INTO gleaner.settings (name, value) VALUES ('${name}', '${run.id}')`),
  );
  expect(await record(name)).toHaveLength(1);
  expect(await readRun(run.id)).toMatchObject({ total: 2 });
});

it.each([2, MANY])('none of %i inputs stay when the transaction of the call fails', async (count) => {
  const { accountId, submission } = await openAccount();
  const refusal = new AppError('already_finished');
  const run = await prepareRun(submitServices, submission(testUrls(count)));
  await expect(submitRun(testContext(services, accountId), run, () => Promise.reject(refusal))).rejects.toBe(
    refusal,
  );
  await expect.poll(() => isUntouched(accountId)).toBe(true);
});

it('several prepared runs are created in one transaction', async () => {
  const { submission } = await openAccount();
  const prepared = [
    await prepareRun(submitServices, submission(testUrls(2))),
    await prepareRun(submitServices, submission(testUrls(MANY))),
  ];
  const calls = await countCalls();
  const admitted: AdmittedRow[] = [];
  await services.db.orm.transaction(async (tx) => {
    for (const run of prepared) admitted.push(...(await run.create(tx)));
  });
  expect(await countCalls()).toBe(calls);
  await deliverAdmitted(services.queue, services.log, admitted);
  expect(await countCalls()).toBeGreaterThan(calls);
  for (const [index, total] of [2, MANY].entries())
    expect(await readRun(prepared[index]?.id ?? '')).toMatchObject({ total, tasks: total });
  const worker = createTestWorker(services);
  for (const { id } of prepared) {
    const no = await readNo(id);
    const chunk = await worker.takeOf(no);
    expect(chunk).toMatchObject({ run: no });
    if (chunk) await worker.endAll(chunk, 'succeed');
  }
});

it('a refused submission stores nothing, and a dry run reports the same inputs', async () => {
  const { accountId, submission } = await openAccount(5);
  await expect(submit(submission(testUrls(6)))).rejects.toMatchObject({
    code: 'insufficient_credits',
    options: { members: { required: 6, available: 5 } },
  });
  const faulty = [...testUrls(MANY), 'nonsense'];
  await expect(submit(submission(faulty))).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field: `inputs[${MANY}]`, detail: 'is not an absolute URL' },
  });
  await expect(submit(submission([]))).rejects.toMatchObject({
    options: { field: 'inputs', detail: 'there are no inputs' },
  });
  await expect.poll(() => isUntouched(accountId)).toBe(true);
  expect(await dryRun(submitServices, submission(faulty))).toMatchObject({
    inputs: MANY,
    refused_count: 1,
    refused: [{ index: MANY, input: 'nonsense', detail: 'is not an absolute URL' }],
  });
  expect(await isUntouched(accountId)).toBe(true);
});

it('a sink that can’t be written is refused before the inputs are read', async () => {
  const { accountId, submission } = await openAccount();
  const sink = {
    mode: 'database',
    database: 'db_none',
    table: 't',
    contract: 'evolve',
    nulls: 'keep',
  } as const;
  const inputs = () => ({
    ...listInputs('inputs', []),
    blocks: {
      [Symbol.asyncIterator]: () => {
        throw new Error('the inputs were read');
      },
    },
  });
  await expect(submit(submission([], { sink, inputs }))).rejects.toMatchObject({
    code: 'not_found',
    options: { field: 'sink.database' },
  });
  expect(await isUntouched(accountId)).toBe(true);
});
