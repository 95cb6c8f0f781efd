import { toStorableJson } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { countRowsHandled } from '../../testing/count-rows-handled.ts';
import { createId } from '../../platform/ids.ts';
import { findViolations } from '../../testing/find-violations.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { numberWaiting } from '../sweep/number-waiting.ts';
import { nextRunNumber } from './create-run.ts';

const { services, database, close } = await openTestServices();
afterAll(close);

it('cancelling a batch handles as many rows, however many tasks it has', async () => {
  const { accountId } = await createTestAccount(services, { credits: 100_000 });
  const handled: number[] = [];
  // The first one plans the statements.
  for (const tasks of [2, 2, 5_000]) {
    const { id } = await submitTestRun(services, accountId, testUrls(tasks));
    handled.push(
      await countRowsHandled(
        database.url,
        `SELECT outcome FROM "${ENGINE}".cancel_run('${accountId}', '${id}')`,
      ),
    );
    const [run] = await services.db.sql`SELECT state, cancelled FROM gleaner.runs WHERE id = ${id}`;
    expect(run).toEqual({ state: 'cancelled', cancelled: tasks });
  }
  const [, few = 0, many = 0] = handled;
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(few + 100);
});

const STORED = 25_000;

/** A run of two stages, or a batch that still reads its source, whose second stage stored tasks that are not yet part of it. */
async function startStored(
  kind: 'workflow' | 'batch',
): Promise<{ accountId: string; id: string; rootNo: string }> {
  const { sql } = services.db;
  const { accountId } = await createTestAccount(services, { credits: 10 });
  const rootNo = await nextRunNumber(services.db);
  const [first = '', second = ''] = [1n, 2n].map((step) => String(BigInt(rootNo) + step));
  const id = createId(kind === 'batch' ? 'batch' : 'workflowRun');
  const stage = {
    mode: 'return',
    queue: batchQueue('http'),
    target: { type: 'parser', parserId: 'prs_test', version: 1 },
    config: {},
    sink: null,
    retries: 0,
    plan: {},
    maxTasks: null,
    takesOwn: false,
    price: 1,
  };
  const isBatch = kind === 'batch';
  const source = isBatch ? { role: 'source', source: { kind: 'sitemap', url: 'http://a.test/' } } : {};
  const stages = [
    { ...stage, no: first, name: 'first', sources: [], ...source },
    { ...stage, no: second, name: 'second', sources: [0], ...(isBatch ? { id, kind: 'batch' } : {}) },
  ];
  const root = {
    id: isBatch ? createId('workflowRun') : id,
    no: rootNo,
    name: null,
    maxTasks: 1_000_000,
    maxCredits: null,
    ...(isBatch ? { runKind: 'stage' } : {}),
  };
  await sql`
    SELECT outcome FROM ${sql(ENGINE)}.create_workflow_run(${accountId}, ${toStorableJson(root)}::text::jsonb,
      ${toStorableJson(stages)}::text::jsonb, NULL, 1, 'http://a.test/')`;
  await sql`INSERT INTO gleaner.tasks (run_no, seq, input) SELECT ${second}, n, 'http://a.test/' || n FROM generate_series(0, ${STORED - 1}::int) n`;
  await sql`UPDATE gleaner.stages SET numbered = ${STORED} WHERE run_no = ${second}`;
  await sql`
    INSERT INTO gleaner.child_batches (root_no, run_no, parent_no, parent_seqs, inputs, carried, refused)
    SELECT ${rootNo}, ${second}, ${first}, ARRAY[0], 'http://b.test/' || n, NULL, 0 FROM generate_series(1, 12) n`;
  return { accountId, id, rootNo };
}

it.each(['workflow', 'batch'] as const)(
  'cancelling a %s leaves stored tasks and children to the sweeper, which removes them in parts',
  async (kind) => {
    const { sql } = services.db;
    const { accountId, id, rootNo } = await startStored(kind);
    const handled = await countRowsHandled(
      database.url,
      `SELECT outcome FROM "${ENGINE}".cancel_run('${accountId}', '${id}')`,
    );
    expect(handled).toBeLessThan(1_000);
    const left = async () => {
      const [row] = await sql<{ tasks: number; children: number }[]>`
        SELECT count(*)::int AS tasks, (SELECT count(*)::int FROM gleaner.child_batches WHERE root_no = ${rootNo}) AS children
        FROM gleaner.tasks WHERE run_no = ${rootNo}::bigint + 2`;
      return row;
    };
    expect(await left()).toEqual({ tasks: STORED, children: 12 });
    await numberWaiting(services);
    expect(await left()).toEqual({ tasks: STORED - 10_000, children: 12 });
    for (let round = 0; round < 5; round += 1) await numberWaiting(services);
    expect(await left()).toEqual({ tasks: 0, children: 0 });
    const [stage] =
      await sql`SELECT numbered, dropped FROM gleaner.stages WHERE run_no = ${rootNo}::bigint + 2`;
    expect(stage).toEqual({ numbered: 0, dropped: STORED + 12 });
    expect(await findViolations(services.db)).toEqual([]);
  },
);
