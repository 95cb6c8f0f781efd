import { setTimeout as delay } from 'node:timers/promises';
import { deliverAdmitted, type TaskOutcome } from '@gleaner/core';
import { listInputs, prepareWorkflowRun, createId } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import {
  countRowsRead,
  createSubmitServices,
  createTestAccount,
  createTestParser,
  openTestServices,
  createChunkSweeper,
} from '@gleaner/core/testing';
import { ENGINE, tables } from '@gleaner/db';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { answer, startWorker } from '../testing/chunk-harness.ts';
import {
  childrenOf,
  fails,
  modelAddress,
  modelSchema,
  readPage,
  toDefinition,
  visitAll,
  type ModelGraph,
} from '../testing/stage-model.ts';

const { services, close } = await openTestServices();
const submitServices = createSubmitServices(services);
const { sql } = services.db;
afterAll(async () => {
  await submitServices.external.close();
  await close();
});

const SEED = Number(process.env['GLEANER_SEED'] ?? Math.floor(Math.random() * 1_000_000_000));
const ROUNDS = Number(process.env['GLEANER_STAGE_ROUNDS'] ?? 8);
const WITHIN_MS = 60_000 + ROUNDS * 20_000;
console.log(`seed of the random workflows: GLEANER_SEED=${SEED}`);

interface Started {
  id: string;
  no: string;
  accountId: string;
}

interface Options {
  credits?: number;
  limits?: { tasks?: number; credits?: number };
  stageLimit?: number;
}

async function start(graph: ModelGraph, inputs: readonly string[], options: Options = {}): Promise<Started> {
  const { accountId } = await createTestAccount(services, {
    credits: options.credits ?? 1_000_000,
    concurrency: 32,
  });
  const parserId = await createTestParser(services, accountId, [modelSchema(graph.sources.length)]);
  const workflowId = createId('workflow');
  await services.db.orm.insert(tables.workflows).values({
    id: workflowId,
    accountId,
    name: 'model',
    version: 1,
    definition: toDefinition(graph, parserId, options.limits ?? {}, options.stageLimit),
  });
  const run = await prepareWorkflowRun(submitServices, {
    accountId,
    workflowId,
    inputs: () => listInputs('urls', inputs),
    webhookUrl: 'http://127.0.0.1:9/never',
  });
  await deliverAdmitted(services.queue, services.log, await services.db.orm.transaction(run.create));
  const [row] = await services.db.sql<
    { no: string }[]
  >`SELECT no::text FROM gleaner.runs WHERE id = ${run.id}`;
  return { id: run.id, no: row?.no ?? '', accountId };
}

async function behave(graph: ModelGraph, input: string): Promise<TaskOutcome> {
  if (fails(graph, input)) return { ok: false, error: { code: 'extraction_failed' } };
  return { ...answer(input), answer: JSON.stringify(readPage(graph, input)) } as TaskOutcome;
}

/** Some pages are free, though each may cost a credit. */
async function behaveCheaply(graph: ModelGraph, input: string): Promise<TaskOutcome> {
  return { ...(await behave(graph, input)), ...(input.endsWith('0') ? { price: 0 } : {}) };
}

async function awaitRoot({ no }: Started, withinMs = 120_000): Promise<string> {
  const sweep = createChunkSweeper(services);
  const until = Date.now() + withinMs;
  for (;;) {
    const [row] = await sql<{ state: string }[]>`SELECT state FROM gleaner.runs WHERE no = ${no}`;
    if (row && !['pending', 'running'].includes(row.state)) return row.state;
    if (Date.now() > until) {
      const stages = await sql`
        SELECT s.name, r.state, r.total, r.succeeded, r.failed, r.cancelled, r.carved, r.is_open, s.numbered
        FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no WHERE s.root_no = ${no} ORDER BY s.stage`;
      throw new Error(`the workflow run has not ended: ${JSON.stringify(stages)}`);
    }
    await sweep();
    await delay(30);
  }
}

interface Task {
  stage: number;
  input: string;
  parent: string | null;
}

async function readTasks({ no }: Started): Promise<Task[]> {
  return sql<Task[]>`
    SELECT s.stage, t.input, p.input AS parent FROM gleaner.stages s JOIN gleaner.tasks t ON t.run_no = s.run_no
    LEFT JOIN gleaner.tasks p ON p.run_no = t.parent_no AND p.seq = t.parent_seq
    WHERE s.root_no = ${no} ORDER BY s.stage, t.seq`;
}

async function countEnds({ id }: Started): Promise<number> {
  const rows =
    await sql`SELECT 1 FROM gleaner.outbox WHERE run_id = ${id} AND event = 'workflow_run.finished'`;
  return rows.length;
}

/** What holds of every run, whatever its limits. */
async function expectSound(graph: ModelGraph, run: Started, inputs: readonly string[]): Promise<Task[]> {
  expect(await findViolations(services.db)).toEqual([]);
  expect(await countEnds(run)).toBe(1);
  const all = visitAll(graph, inputs);
  const tasks = await readTasks(run);
  for (const { stage, input, parent } of tasks) {
    expect(all[stage]?.has(input)).toBe(true);
    if (parent === null) expect(inputs).toContain(input);
    else expect(childrenOf(graph, parent)).toContain(input);
  }
  return tasks;
}

const graphs: fc.Arbitrary<ModelGraph> = fc
  .record({
    picks: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 6 }),
    fanOut: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 5, max: 60 })),
    failing: fc.constantFrom(0, 0, 10, 50),
    pages: fc.constantFrom(3, 40, 200),
    seed: fc.nat(),
  })
  .map(({ picks, ...rest }) => ({
    ...rest,
    sources: picks.map(([a, b], place) =>
      place === 0 ? [] : [...new Set([a % place, ...(b % 3 === 0 ? [b % place] : [])])],
    ),
    own: picks.map(([, , own]) => own),
  }));

test(
  'random workflows visit exactly the pages of the model, each once, with the right parent',
  async () => {
    let graph: ModelGraph | undefined;
    const worker = await startWorker(services, (input) => {
      if (!graph) throw new Error('no graph');
      return behave(graph, input);
    });
    try {
      await fc.assert(
        fc.asyncProperty(graphs, fc.integer({ min: 1, max: 4 }), async (next, count) => {
          graph = next;
          const inputs = Array.from({ length: count }, (_, page) => modelAddress(0, page));
          const run = await start(graph, inputs);
          await awaitRoot(run);
          const tasks = await expectSound(graph, run, inputs);
          const all = visitAll(graph, inputs);
          for (const [stage, pages] of all.entries()) {
            const visited = tasks.filter((task) => task.stage === stage).map(({ input }) => input);
            expect(visited.toSorted()).toEqual([...pages].toSorted());
          }
        }),
        { seed: SEED, numRuns: ROUNDS, endOnFailure: true },
      );
    } finally {
      await worker.stop();
    }
  },
  WITHIN_MS,
);

test(
  'random limits, budgets and cancels leave every run sound',
  async () => {
    let graph: ModelGraph | undefined;
    const worker = await startWorker(services, async (input) => {
      await delay(2);
      if (!graph) throw new Error('no graph');
      return behaveCheaply(graph, input);
    });
    const options = fc.record(
      {
        limits: fc.record(
          { tasks: fc.integer({ min: 4, max: 60 }), credits: fc.integer({ min: 1, max: 60 }) },
          { requiredKeys: [] },
        ),
        stageLimit: fc.integer({ min: 4, max: 20 }),
        cancelAfterMs: fc.integer({ min: 0, max: 400 }),
      },
      { requiredKeys: [] },
    );
    try {
      await fc.assert(
        fc.asyncProperty(graphs, options, async (next, { cancelAfterMs, ...limited }) => {
          graph = next;
          const inputs = [modelAddress(0, 0), modelAddress(0, 1)];
          const run = await start(graph, inputs, limited);
          if (cancelAfterMs !== undefined) {
            await delay(cancelAfterMs);
            await sql`SELECT * FROM ${sql(ENGINE)}.cancel_run(${run.accountId}, ${run.id})`;
          }
          await awaitRoot(run);
          // The worker drops what a chunk wrote just before it was cancelled.
          await expect
            .poll(() => sql`SELECT 1 FROM gleaner.child_batches WHERE root_no = ${run.no}`)
            .toEqual([]);
          const tasks = await expectSound(graph, run, inputs);
          const { tasks: most, credits } = limited.limits ?? {};
          if (most !== undefined) expect(tasks.length).toBeLessThanOrEqual(most);
          if (limited.stageLimit !== undefined) {
            for (const place of graph.sources.keys())
              expect(tasks.filter(({ stage }) => stage === place).length).toBeLessThanOrEqual(
                limited.stageLimit,
              );
          }
          const [{ used } = { used: '0' }] = await sql<{ used: string }[]>`
          SELECT sum(used)::text AS used FROM gleaner.runs WHERE root_no = ${run.no}`;
          if (credits !== undefined) expect(Number(used)).toBeLessThanOrEqual(credits);
        }),
        { seed: SEED, numRuns: ROUNDS, endOnFailure: true },
      );
    } finally {
      await worker.stop();
    }
  },
  WITHIN_MS,
);

const PLAIN: ModelGraph = {
  sources: [[], [0]],
  own: [false, false],
  fanOut: 60,
  failing: 0,
  pages: 100_000,
  seed: 4,
};

test('a run without credits pauses, goes on when there are some, and ends after a day without', async () => {
  const inputs = [modelAddress(0, 0)];
  const worker = await startWorker(services, (input) => behave(PLAIN, input));
  try {
    const [, children] = visitAll(PLAIN, inputs);
    const count = children?.size ?? 0;
    expect(count).toBeGreaterThan(10);
    const run = await start(PLAIN, inputs, { credits: 5 });
    const readPause = async () => {
      const [pause] = await sql<
        { reason: string }[]
      >`SELECT reason FROM gleaner.run_pauses WHERE root_no = ${run.no}`;
      const [stage] = await sql<{ total: number; succeeded: number }[]>`
        SELECT total, succeeded FROM gleaner.runs WHERE root_no = ${run.no} AND name = 'stage_1'`;
      return { ...pause, ...stage };
    };
    await expect.poll(readPause).toEqual({ reason: 'credits', total: 4, succeeded: 4 });
    await sql`UPDATE gleaner.accounts SET balance = balance + 3, granted = granted + 3 WHERE id = ${run.accountId}`;
    await sql`INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference) VALUES (${run.accountId}, 'grant', 3, 'more')`;
    const sweep = createChunkSweeper(services);
    await expect
      .poll(async () => {
        await sweep();
        return readPause();
      })
      .toEqual({ reason: 'credits', total: 7, succeeded: 7 });
    await sql`UPDATE gleaner.run_pauses SET since = now() - interval '25 hours' WHERE root_no = ${run.no}`;
    expect(await awaitRoot(run)).toBe('succeeded');
    const [dropped] =
      await sql`SELECT dropped, numbered FROM gleaner.stages WHERE root_no = ${run.no} AND stage = 1`;
    expect(dropped).toEqual({ dropped: count - 7, numbered: 7 });
    await expectSound(PLAIN, run, inputs);
  } finally {
    await worker.stop();
  }
});

test('failed tasks run again, and what they give goes on to the next stage', async () => {
  const inputs = [modelAddress(0, 0), modelAddress(0, 1)];
  let isBroken = true;
  const worker = await startWorker(services, async (input) =>
    isBroken && input === inputs[1]
      ? { ok: false, error: { code: 'extraction_failed' } }
      : behave(PLAIN, input),
  );
  try {
    const run = await start(PLAIN, inputs);
    await awaitRoot(run);
    isBroken = false;
    const rows = await sql<{ outcome: string }[]>`
      SELECT outcome FROM ${sql(ENGINE)}.retry_workflow_run(${run.accountId}, ${run.id})`;
    expect(rows[0]?.outcome).toBe('retried');
    await awaitRoot(run);
    expect(await findViolations(services.db)).toEqual([]);
    const tasks = await readTasks(run);
    const all = visitAll(PLAIN, inputs);
    expect(
      tasks
        .filter(({ stage }) => stage === 1)
        .map(({ input }) => input)
        .toSorted(),
    ).toEqual([...(all[1] ?? [])].toSorted());
  } finally {
    await worker.stop();
  }
});

test('reads as many rows for each page of a large workflow run as of a small one', async () => {
  const perPage: number[] = [];
  for (const pages of [400, 1_600]) {
    const graph: ModelGraph = {
      sources: [[], [0]],
      own: [true, false],
      fanOut: 4,
      failing: 0,
      pages,
      seed: 7,
    };
    const worker = await startWorker(services, (input) => behave(graph, input));
    const before = await countRowsRead(services.db);
    const run = await start(graph, [modelAddress(0, 0)]);
    await awaitRoot(run);
    const tasks = (await readTasks(run)).length;
    await worker.stop();
    expect(tasks).toBeGreaterThan(pages);
    perPage.push(((await countRowsRead(services.db)) - before) / tasks);
  }
  const [small = 0, large = 0] = perPage;
  expect(large).toBeLessThan(small * 1.5);
});
