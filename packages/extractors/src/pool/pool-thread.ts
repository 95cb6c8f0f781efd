import { Worker } from 'node:worker_threads';
import { CACHED_PARSERS } from './parser-cache.ts';
import type { Job, Reply } from './protocol.ts';

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
  | { state: 'result'; json: string | undefined; data?: string }
  | { state: 'error'; error: Error }
  | { state: 'timeout' }
  | { state: 'thread-died'; reason: string };

export interface PoolThread {
  /** Tasks given to it and not yet ended; the first is being run. */
  readonly tasks: readonly Task[];
  readonly run: (task: Task) => void;
  readonly terminate: () => Promise<void>;
}

export interface ThreadOptions {
  timeoutMs: number;
  maxOldGenerationMb: number;
  /** A task has ended while the thread lives on. */
  onEnd: (task: Task, outcome: Outcome) => void;
  /** The thread is of no more use: `task` was running, with `outcome`; `waiting` had not begun. */
  onDeath: (task: Task | undefined, outcome: Outcome, waiting: readonly Task[]) => void;
}

const toError = ({ name, message, stack }: Extract<Reply, { state: 'error' }>): Error => {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
};

/** The job as it is sent: without its schema when the thread has been given it. */
const createSlimmer = (): ((job: Job) => Job) => {
  // Half of what the thread keeps, so that the two never disagree for long; when they do, it asks.
  const known = new Set<string>();
  return (job) => {
    if (job.kind !== 'extract') return job;
    const isKnown = known.delete(job.parserKey);
    known.add(job.parserKey);
    const [oldest] = known;
    if (known.size > CACHED_PARSERS / 2 && oldest !== undefined) known.delete(oldest);
    return isKnown ? { ...job, schema: undefined } : job;
  };
};

/** One worker thread. A task that runs too long is killed with it. */
export const startThread = ({ timeoutMs, maxOldGenerationMb, onEnd, onDeath }: ThreadOptions): PoolThread => {
  const worker = new Worker(new URL('thread.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxOldGenerationMb, stackSizeMb: 4 },
  });
  const slim = createSlimmer();
  const tasks: Task[] = [];
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let isDead = false;
  let isReady = false;

  const die = (outcome: Outcome): void => {
    if (isDead) return;
    isDead = true;
    clearTimeout(timer);
    void worker.terminate();
    const [running, ...waiting] = tasks.splice(0);
    onDeath(running, outcome, waiting);
  };

  /** One timer for all tasks: set anew only when it fires too early, not for each task. */
  const checkTime = (): void => {
    timer = undefined;
    if (tasks.length === 0) return;
    const leftMs = startedAt + timeoutMs - performance.now();
    if (leftMs <= 0) die({ state: 'timeout' });
    else timer = setTimeout(checkTime, leftMs).unref();
  };

  const startClock = (): void => {
    startedAt = performance.now();
    if (timer === undefined) timer = setTimeout(checkTime, timeoutMs).unref();
  };

  worker.on('message', (reply: Reply) => {
    if (reply.state === 'ready') {
      isReady = true;
      if (tasks.length > 0) startClock();
      return;
    }
    const at = tasks.findIndex(({ id }) => id === reply.id);
    const task = tasks[at];
    if (isDead || task === undefined) return;
    if (reply.state === 'schema-missing') {
      worker.postMessage({ id: task.id, job: task.job });
      return;
    }
    tasks.splice(at, 1);
    if (tasks.length > 0) startClock();
    else worker.unref();
    onEnd(task, reply.state === 'error' ? { state: 'error', error: toError(reply) } : reply);
  });
  worker.on('error', (error) => {
    const outOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    die({ state: 'thread-died', reason: outOfMemory ? 'memory' : error.message });
  });
  worker.on('exit', (code) => die({ state: 'thread-died', reason: `its thread ended with ${code}` }));
  // An idle pool keeps no process alive.
  worker.unref();

  return {
    tasks,
    run(task) {
      if (tasks.push(task) === 1) {
        worker.ref();
        // The time a thread takes to load is not the task's.
        if (isReady) startClock();
      }
      // A moved body could not be sent again, should the thread ask for the schema.
      const job = task.transfer.length === 0 ? slim(task.job) : task.job;
      worker.postMessage({ id: task.id, job }, task.transfer);
    },
    async terminate() {
      isDead = true;
      clearTimeout(timer);
      await worker.terminate();
    },
  };
};
