import type { RunSpec, TaskOutcome } from '@gleaner/core';
import { expect, it } from 'vitest';
import { createChunkState } from './chunk-state.ts';
import { isFailure, isSuccess } from './ended-task.ts';

function success(answer: string): TaskOutcome {
  return {
    ok: true,
    answer,
    finalUrl: 'http://a/',
    httpStatus: 200,
    fetchedAt: '2026-01-01T00:00:00.000Z',
    bytes: 2,
  };
}

function openState({ inputs, sink = null }: { inputs?: string[]; sink?: RunSpec['sink'] } = {}) {
  return createChunkState({
    chunk: {
      run: '1',
      chunk: 0,
      attempt: 1,
      token: '5',
      accountId: 'acc_1',
      runId: 'bat_1',
      slots: 1,
      tries: 0,
      way: 0,
      charge: 400,
      seqs: inputs === undefined ? [7] : [...inputs.keys()],
      inputs: inputs ?? ['http://a/'],
    },
    run: {
      kind: 'batch',
      no: '1',
      id: 'bat_1',
      accountId: 'acc_1',
      target: { type: 'parser', parserId: 'prs_1', version: 1 },
      config: {},
      mode: 'database',
      sink,
      stage: null,
      retries: 2,
    },
    clock: { now: Date.now },
    progress: {
      succeeded: () => undefined,
      failed: () => undefined,

      ended: () => undefined,
    },
    count: () => undefined,
  });
}

it('tries rows again when their database asked for it, not at once', () => {
  const state = openState();
  state.add(0, success('{}'), 5);
  const taken = state.take();
  const [task] = taken.tasks;
  if (!task) throw new Error('no task was done');
  state.refuse(taken, new Map([[task, { code: 'temporarily_unavailable', retryAfterSeconds: 30 }]]));
  expect(taken.tasks.filter((ended) => isSuccess(ended) || isFailure(ended))).toEqual([]);
  expect(state.end().retries).toEqual([{ seqs: [7], delayMs: 30_000, waitsFor: 'temporarily unavailable' }]);
});

it('lets a task of an old run wait for its turn at a paced host, not for a host that is busy', () => {
  const outcome = {
    ok: false,
    error: { code: 'fetch_failed', detail: 'a asks crawlers for 10 seconds between pages' },
    retryAfterMs: 60_000,
    isUncounted: true,
  } as const;
  const paced = openState();
  paced.add(0, { ...outcome, isPaced: true }, 5);
  expect(paced.end().retries).toMatchObject([{ seqs: [7], isUncounted: true }]);
  const busy = openState();
  busy.add(0, outcome, 5);
  expect(busy.end().retries.filter(({ isUncounted }) => isUncounted)).toEqual([]);
});

it('gives one write at most 16 MB, though rows repeat their address, and counts what is being written', () => {
  const rows = JSON.stringify({ items: Array.from({ length: 2_500 }, (_, id) => ({ id })) });
  const inputs = Array.from({ length: 5 }, (_, place) => `http://a.test/${place}?${'x'.repeat(4_000)}`);
  const state = openState({
    inputs,
    sink: {
      mode: 'database',
      database: 'db_1',
      table: 't',
      rows: 'items',
      contract: 'evolve',
      nulls: 'keep',
    },
  });
  for (const place of inputs.keys()) state.add(place, success(rows), 5);
  const all = state.answerLength();
  expect(all).toBeGreaterThan(40_000_000);
  expect(state.mayTakeAll(Infinity)).toBe(false);
  const taken = state.take();
  expect(taken.tasks.map(({ seq }) => seq)).toEqual([0]);
  expect(state.take(1).tasks).toHaveLength(1);
  expect(state.heldLength()).toBe(all);
  state.settle(taken);
  expect(state.heldLength()).toBeLessThan(all);
});
