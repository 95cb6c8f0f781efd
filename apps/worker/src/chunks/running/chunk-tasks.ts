import { toStoredError } from '@gleaner/contracts';
import { createStoredPages, inWay, isUnavailable, toAppError, type TaskSpec } from '@gleaner/core';
import { climbOf, paceOf, rowsAtOf, type TaskRun } from '../../tasks/attempt-task.ts';
import type { ChunkState } from './chunk-state.ts';
import type { ChunkDeps, ChunkWork } from './chunk-work.ts';
import { mayWait } from './ended-task.ts';

const TASK_TIMEOUT_MS = 120_000;

/** The tasks of a chunk, in the order in which they begin. */
export interface ChunkTasks {
  underWay: () => number;
  /** Whether tasks are left that have not begun. */
  hasMore: () => boolean;
  /** Tasks that have not ended. */
  left: () => number;
  lastBegunAt: () => number;
  /** Begins tasks up to this number, or until the worker has no room; `onRoom` is then called when there is room. */
  begin: (slots: number, onRoom: () => void) => void;
  /** Numbers of the tasks that have not begun. */
  unbegun: () => number[];
  /** The tasks that have not begun belong to another chunk now. */
  dropUnbegun: () => void;
}

export interface ChunkTasksInput {
  deps: Pick<
    ChunkDeps,
    'executor' | 'crawler' | 'db' | 'gate' | 'log' | 'judge' | 'pages' | 'savedPage' | 'storage'
  >;
  work: ChunkWork;
  state: ChunkState;
  signal: AbortSignal;
  /** Called when a task has ended, with any outcome. */
  onEnd: () => void;
}

/** Returns a function that makes the run of a task, which begins now. */
function createTaskStarter(
  deps: Pick<ChunkDeps, 'pages' | 'savedPage'>,
  { chunk: { accountId, way, redirected, isUntried }, run }: ChunkWork,
  signal: AbortSignal,
): (seq: number, url: string) => TaskRun {
  const returnsBody = deps.pages.returnsBody(run);
  const isReparse = run.config.pages === 'kept';
  const { ways } = run.config;
  const climb = ways && { ways, at: way, isUntried };
  const pace = paceOf(run);
  const isRequeuedWhenBusy = mayWait(run.no, 0, Date.now());
  return (seq, url) => ({
    accountId,
    deadlineAt: Date.now() + TASK_TIMEOUT_MS,
    signal,
    attempts: 'none',
    climb: climbOf(climb, { accountId, target: run.target, url }),
    pace,
    isRequeuedWhenBusy,
    goesOnLater: true,
    redirected: redirected?.[seq],
    returnsBody,
    notesValues: run.target.type === 'parser',
    mayBeEmpty: isReparse || run.stage?.outputs.some(({ run: to }) => to === run.no),
    rowsAt: rowsAtOf(run),
    savedPage: isReparse ? () => deps.savedPage({ accountId, runNo: run.no, seq }) : undefined,
  });
}

/** The host part of a URL by a cheap scan; equal hosts only need equal texts. */
function hostOf(url: string): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * The order in which a chunk visits its inputs, as positions. It alternates between hosts, so that no host uses all slots
 * while others wait.
 */
export function interleaveHosts(inputs: readonly string[]): number[] {
  const byHost = new Map<string, number[]>();
  for (const [position, input] of inputs.entries()) {
    const host = hostOf(input);
    const positions = byHost.get(host);
    if (positions) positions.push(position);
    else byHost.set(host, [position]);
  }
  if (byHost.size === 1) return inputs.map((_, position) => position);
  const order: number[] = [];
  const queues = [...byHost.values()];
  for (let round = 0; order.length < inputs.length; round += 1) {
    for (const queue of queues) {
      const position = queue[round];
      if (position !== undefined) order.push(position);
    }
  }
  return order;
}

export function createChunkTasks({ deps, work, state, signal, onEnd }: ChunkTasksInput): ChunkTasks {
  const { chunk } = work;
  const run = { ...work.run, config: inWay(work.run.config, chunk.way) };
  const isApi = run.target.type === 'api';
  const since = performance.now();
  const crawl = run.stage?.crawl;
  const pages = crawl?.role === 'route' ? createStoredPages(deps.db, chunk) : undefined;
  const startTask = createTaskStarter(deps, work, signal);
  const order =
    isApi || pages !== undefined ? chunk.inputs.map((_, place) => place) : interleaveHosts(chunk.inputs);
  let next = 0;
  let underWay = 0;
  let lastBegunAt = performance.now();

  const runTask = async (place: number): Promise<void> => {
    const begunAt = performance.now();
    const input = chunk.inputs[place] ?? '';
    const seq = chunk.seqs[place] ?? -1;
    const spec: TaskSpec = {
      target: run.target,
      input: isApi ? readApiInput(input) : { url: input },
      config: run.config,
    };
    try {
      const refusal = await deps.storage.refusalOf(chunk.accountId);
      if (refusal) {
        state.add(place, { ok: false, error: toStoredError(refusal) }, performance.now() - begunAt);
        return;
      }
      const taskRun = startTask(seq, String(spec.input.url));
      const ended = await (crawl === undefined
        ? deps.executor.execute(spec, taskRun)
        : deps.crawler.execute({ run, crawl, seq, input, pages }, taskRun));
      const goesOn = !ended.ok && ended.next !== undefined;
      const outcome = goesOn
        ? ended
        : await deps.judge(run, { url: String(spec.input.url), seq, since }, ended);
      const room = goesOn ? undefined : deps.pages.offer({ run, seq, outcome });
      if (room !== undefined) await room;
      state.add(place, outcome, performance.now() - begunAt, await work.follow?.carriedOf(place));
    } catch (error) {
      // The task was aborted: it is returned, or this worker no longer owns it.
      if (signal.aborted) return;
      deps.log.error({ err: error, runId: run.id }, 'a task threw');
      const outcome = {
        ok: false,
        error: toStoredError(toAppError(error)),
        isUncounted: isUnavailable(error),
      } as const;
      state.add(place, outcome, performance.now() - begunAt);
    } finally {
      underWay -= 1;
      // The chunk asks for its next task first, so that it keeps the slot.
      onEnd();
      deps.gate.release();
    }
  };

  return {
    underWay: () => underWay,
    hasMore: () => next < order.length,
    left: () => order.length - next + underWay,
    lastBegunAt: () => lastBegunAt,
    begin: (slots, onRoom) => {
      while (next < order.length && underWay < slots) {
        if (!deps.gate.tryTake(onRoom)) return;
        underWay += 1;
        lastBegunAt = performance.now();
        void runTask(order[next] ?? 0);
        next += 1;
      }
    },
    unbegun: () => order.slice(next).map((place) => chunk.seqs[place] ?? -1),
    dropUnbegun: () => {
      order.length = next;
    },
  };
}

// Written by createRun: for prebuilt APIs an object's JSON text.
function readApiInput(input: string): TaskSpec['input'] {
  return JSON.parse(input) as TaskSpec['input'];
}
