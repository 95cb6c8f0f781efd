import { ENGINE } from '@gleaner/db';
import { setTimeout as delay } from 'node:timers/promises';
import {
  beat,
  createCarriedReader,
  createChunkWriter,
  createId,
  createNumbering,
  createRunCache,
  createStorageWatch,
  deliverAdmitted,
  openDatabaseClock,
  type NewRun,
  type Services,
  type TaskOutcome,
  type TaskSpec,
} from '@gleaner/core';
import { submitTestRun, createChunkSweeper } from '@gleaner/core/testing';
import { batchQueue, type Engine } from '@gleaner/queue';
import { openCancellations } from '../../cancellations.ts';
import { createChildMakers } from '../taking/follow.ts';
import type { ChunkDeps } from '../running/chunk-work.ts';
import { createLargeWrites } from '../../load/large-writes.ts';
import { createOutcomeBudget } from '../../load/outcome-budget.ts';
import { createHeldAnswers } from '../running/sinks.ts';
import { createSlotGate } from '../../load/slot-gate.ts';
import { createTurnTaker } from '../taking/take-turns.ts';

/** What the target does with one task. */
export type Behave = (input: string, signal: AbortSignal) => Promise<TaskOutcome>;

export const FETCHED_AT = '2026-01-01T00:00:00.000Z';

export function answer(input: string): TaskOutcome {
  return {
    ok: true,
    answer: JSON.stringify({ input }),
    finalUrl: input,
    httpStatus: 200,
    fetchedAt: FETCHED_AT,
    bytes: 10,
  };
}

export interface TestWorker {
  workerId: string;
  /** @param graceMs how long tasks under way may still take */
  stop(graceMs?: number): Promise<void>;
}

/** A worker in this process, with everything real but the fetch. */
export async function startWorker(
  services: Services,
  behave: Behave,
  options: Partial<
    Pick<ChunkDeps, 'openSink' | 'workerId' | 'executor' | 'crawler' | 'known' | 'leaseMs'>
  > & {
    capacity?: number;
    engine?: Engine;
  } = {},
): Promise<TestWorker> {
  const workerId = options.workerId ?? createId('worker');
  const { engine = 'http' } = options;
  const capacity = { [engine]: options.capacity ?? 64 };
  await beat(services.db, { workerId, engines: [engine], refuses: null, capacity });
  const cancellations = await openCancellations(services);
  const name = batchQueue(engine);
  const deps = {
    ...services,
    workerId,
    clock: await openDatabaseClock(services.db),
    executor: options.executor ?? {
      execute: (spec: TaskSpec, run: { signal: AbortSignal }) => behave(String(spec.input.url), run.signal),
    },
    crawler: options.crawler ?? { execute: () => Promise.reject(new Error('no crawl in this test')) },
    known: options.known ?? { refresh: () => undefined },
    runs: createRunCache(services.db, services.config.secretKey),
    leaseMs: options.leaseMs,
    writer: createChunkWriter(services, workerId, options.leaseMs),
    gate: createSlotGate(options.capacity ?? 64),
    shortChunks: () => Infinity,
    cancellations,
    heldAnswers: createHeldAnswers(),
    outcomes: createOutcomeBudget(),
    storage: createStorageWatch(services.db, services.config),
    largeWrites: createLargeWrites(),
    readCarriedValues: createCarriedReader(services),
    judge: (_run: unknown, _task: unknown, outcome: TaskOutcome) => Promise.resolve(outcome),
    pages: { returnsBody: () => false, offer: () => undefined },
    savedPage: () => Promise.reject(new Error('no kept pages in this test')),
    openSink:
      options.openSink ??
      (() => {
        throw new Error('no sink in this test');
      }),
    childMakerOf: createChildMakers(services.config.sites),
    numbering: createNumbering(services),
    count: () => undefined,
  } satisfies Omit<ChunkDeps, 'freed'>;
  const taker = createTurnTaker(deps, name, services.queue.claimer(name));
  return {
    workerId,
    stop: async (graceMs = 20_000) => {
      taker.drain(graceMs);
      await taker.close();
      await cancellations.close();
    },
  };
}

export async function submitRun(
  services: Services,
  accountId: string,
  inputs: readonly string[],
  options: Partial<NewRun> = {},
): Promise<{ id: string; no: string }> {
  const { id, no, admitted } = await submitTestRun(services, accountId, inputs, options);
  await deliverAdmitted(services.queue, services.log, admitted);
  return { id, no };
}

export interface Counts {
  state: string;
  total: number;
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  waiting_for_sink: number;
}

export async function readCounts(services: Services, no: string): Promise<Counts> {
  const [row] = await services.db.sql<Counts[]>`
    SELECT r.state, c.* FROM ${services.db.sql(ENGINE)}.count_run(${no}) c, gleaner.runs r WHERE r.no = ${no}`;
  if (!row) throw new Error(`no run ${no}`);
  return row;
}

/** Long enough for a machine that other tests use. */
const END_WITHIN_MS = 120_000;

/** Sweeps as a scheduler does until the run has ended. */
export async function awaitEnd(services: Services, no: string): Promise<Counts> {
  const until = Date.now() + END_WITHIN_MS;
  const sweep = createChunkSweeper(services);
  for (;;) {
    const counts = await readCounts(services, no);
    if (!['pending', 'running'].includes(counts.state)) return counts;
    if (Date.now() > until) throw new Error(`the run has not ended: ${JSON.stringify(counts)}`);
    await sweep();
    await delay(50);
  }
}
