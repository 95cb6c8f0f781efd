import { Worker } from 'node:worker_threads';
import type { Job } from './jobs.ts';
import type { Reply } from './protocol.ts';

/** A job on its way through the pool. */
export interface Task {
  readonly id: number;
  readonly job: Job;
  readonly transfer: ArrayBuffer[];
  readonly settle: (outcome: Outcome) => void;
  /** Threads that died under it. */
  deaths: number;
}

export type Outcome =
  | { state: 'result'; result: unknown }
  | { state: 'error'; error: Error }
  | { state: 'timeout' }
  | { state: 'killed-thread' };

export interface PoolThread {
  readonly busy: Task | undefined;
  readonly run: (task: Task) => void;
  readonly terminate: () => Promise<void>;
}

export interface ThreadOptions {
  timeoutMs: number;
  maxOldGenerationMb: number;
  /** The task has ended, by its own result or by the thread's death; `isDead` when the thread is of no more use. */
  onEnd: (task: Task, outcome: Outcome, isDead: boolean) => void;
  /** The thread died while it had nothing to do. */
  onIdleDeath: () => void;
}

const toError = ({ name, message, stack }: NonNullable<Reply['error']>): Error => {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
};

/** One worker thread with at most one task, which is killed with its thread when it takes too long. */
export const startThread = ({
  timeoutMs,
  maxOldGenerationMb,
  onEnd,
  onIdleDeath,
}: ThreadOptions): PoolThread => {
  const worker = new Worker(new URL('thread.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxOldGenerationMb, stackSizeMb: 4 },
  });
  let busy: Task | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isDead = false;

  const end = (outcome: Outcome): void => {
    const task = busy;
    clearTimeout(timer);
    busy = undefined;
    if (task !== undefined) onEnd(task, outcome, isDead);
    else if (isDead) onIdleDeath();
  };

  const die = (outcome: Outcome): void => {
    if (isDead) return;
    isDead = true;
    void worker.terminate();
    end(outcome);
  };

  worker.on('message', ({ id, result, error }: Reply) => {
    if (busy?.id !== id) return;
    end(error === undefined ? { state: 'result', result } : { state: 'error', error: toError(error) });
  });
  worker.on('error', () => die({ state: 'killed-thread' }));
  worker.on('exit', () => die({ state: 'killed-thread' }));
  // An idle pool keeps no process alive.
  worker.unref();

  return {
    get busy() {
      return busy;
    },
    run(task) {
      busy = task;
      timer = setTimeout(() => die({ state: 'timeout' }), timeoutMs);
      worker.postMessage({ id: task.id, job: task.job }, task.transfer);
    },
    async terminate() {
      isDead = true;
      clearTimeout(timer);
      await worker.terminate();
    },
  };
};
