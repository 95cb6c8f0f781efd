import { setTimeout as delay } from 'node:timers/promises';
import {
  beat,
  createId,
  createRun,
  createRunCache,
  deliverAdmitted,
  nextRunNumber,
  sweepChunks,
  type NewRun,
  type Services,
  type TaskOutcome,
  type TaskSpec,
} from '@gleaner/core';
import { batchQueue } from '@gleaner/queue';
import { openCancellations } from '../../cancellations.ts';
import { createChunkConsumer } from '../chunk-consumer.ts';
import type { ChunkDeps } from '../run-chunk.ts';
import { createSlotGate } from '../slot-gate.ts';

/** What the target does with one task. */
export type Behave = (input: string, signal: AbortSignal) => Promise<TaskOutcome>;

export const answer = (input: string): TaskOutcome => ({
  ok: true,
  answer: JSON.stringify({ input }),
  finalUrl: input,
  httpStatus: 200,
  fetchedAt: '2026-01-01T00:00:00.000Z',
  bytes: 10,
});

export interface TestWorker {
  workerId: string;
  stop(): Promise<void>;
}

/** A worker in this process, with everything real but the fetch. */
export const startWorker = async (
  services: Services,
  behave: Behave,
  options: Partial<Pick<ChunkDeps, 'openSink' | 'workerId'>> & { jobs?: number; capacity?: number } = {},
): Promise<TestWorker> => {
  const workerId = options.workerId ?? createId('worker');
  await beat(services.db, { workerId, engines: ['http'], refuses: null });
  const cancellations = await openCancellations(services.db);
  const chunks = createChunkConsumer({
    ...services,
    workerId,
    executor: {
      execute: (spec: TaskSpec, run) => behave(String(spec.input.url), run.signal),
    },
    runs: createRunCache(services.db),
    gate: createSlotGate(options.capacity ?? 64),
    cancellations,
    openSink:
      options.openSink ??
      (() => {
        throw new Error('no sink in this test');
      }),
    count: () => undefined,
  });
  const consumer = services.queue.consume(batchQueue('http'), chunks.handle, {
    concurrency: options.jobs ?? 16,
  });
  return {
    workerId,
    stop: async () => {
      chunks.drain();
      await consumer.close();
      await cancellations.close();
    },
  };
};

export const submitRun = async (
  services: Services,
  accountId: string,
  inputs: readonly string[],
  options: Partial<NewRun> = {},
): Promise<{ id: string; no: string }> => {
  const id = createId('batch');
  const no = await nextRunNumber(services.db);
  const rows = await services.db.orm.transaction((tx) =>
    createRun(tx, {
      id,
      no,
      accountId,
      kind: 'batch',
      name: null,
      queue: batchQueue('http'),
      target: { type: 'parser', parserId: 'prs_test', version: 1 },
      config: {},
      sink: undefined,
      webhookUrl: undefined,
      price: 1,
      maxCredits: undefined,
      total: inputs.length,
      inputs,
      ...options,
    }),
  );
  await deliverAdmitted(services.queue, services.log, rows);
  return { id, no };
};

export interface Counts {
  state: string;
  total: number;
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
}

export const readCounts = async (services: Services, no: string): Promise<Counts> => {
  const [row] = await services.db.sql<Counts[]>`
    SELECT r.state, c.* FROM engine.count_run(${no}) c, gleaner.runs r WHERE r.no = ${no}`;
  if (!row) throw new Error(`no run ${no}`);
  return row;
};

/** Sweeps as a scheduler does until the run has ended. */
export const awaitEnd = async (services: Services, no: string, withinMs = 20_000): Promise<Counts> => {
  const until = Date.now() + withinMs;
  for (;;) {
    const counts = await readCounts(services, no);
    if (!['pending', 'running'].includes(counts.state)) return counts;
    if (Date.now() > until) throw new Error(`the run has not ended: ${JSON.stringify(counts)}`);
    await sweepChunks(services);
    await delay(50);
  }
};

/** Everything that must hold when nothing is under way; empty when it does. */
export const findViolations = async (services: Services): Promise<string[]> => {
  const { sql } = services.db;
  const faults: string[] = [];
  const note = (name: string, rows: readonly object[]): void => {
    if (rows.length > 0) faults.push(`${name}: ${JSON.stringify(rows.slice(0, 3))}`);
  };
  note('chunks are left', await sql`SELECT run_no::text, chunk, state FROM gleaner.chunks`);
  note(
    'a run is not settled exactly',
    await sql`
      SELECT r.id, r.total, r.succeeded, r.failed, r.cancelled, r.reserved, r.used, o.ok, o.bad, o.credits, l.settled, l.kept
      FROM gleaner.runs r
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE t.ok) AS ok, count(*) FILTER (WHERE NOT t.ok) AS bad,
          coalesce(sum(t.credits), 0) AS credits FROM gleaner.results t WHERE t.run_no = r.no
      ) o
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(e.credits) FILTER (WHERE e.kind = 'settle'), 0) AS settled,
          coalesce(sum(CASE e.kind WHEN 'reserve' THEN e.credits ELSE -e.credits END), 0) AS kept
        FROM gleaner.ledger_entries e WHERE e.reference = r.id
      ) l
      WHERE r.succeeded + r.failed + r.cancelled <> r.total OR o.ok <> r.succeeded OR o.bad <> r.failed
        OR r.used <> o.credits OR l.settled <> r.used OR l.kept <> 0 OR r.reserved <> 0 OR r.finished_at IS NULL`,
  );
  note(
    'an account does not add up',
    await sql`
      SELECT a.id, a.granted, a.balance, a.reserved, a.used FROM gleaner.accounts a
      WHERE a.reserved <> 0 OR a.balance + a.used <> a.granted
        OR a.used <> (SELECT coalesce(sum(e.credits), 0) FROM gleaner.ledger_entries e WHERE e.account_id = a.id AND e.kind = 'settle')
        OR engine.slots_used(a.id) <> 0`,
  );
  return faults;
};
