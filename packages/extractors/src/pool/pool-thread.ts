import { Worker } from 'node:worker_threads';
import { AppError } from '@gleaner/contracts';
import { CACHED_PARSERS } from './parser-cache.ts';
import { TOO_DEEP, type ThreadAnswer, type Job, type Reply, type ThreadSettings } from './protocol.ts';

/** A job on its way through the pool. */
export interface Task {
  readonly id: number;
  readonly owner: string | undefined;
  readonly job: Job;
  readonly transfer: ArrayBuffer[];
  /** Size of what is moved. */
  readonly bytes: number;
  readonly settle: (outcome: Outcome) => void;
  /** Threads that died under it. */
  deaths: number;
}

export type Outcome =
  | { state: 'result'; json: string | undefined; data?: string }
  | { state: 'error'; error: Error }
  | { state: 'timeout' }
  /** Its thread ended before it was begun, and its body, which had been moved, with it. */
  | { state: 'lost' }
  | { state: 'thread-died'; reason: string };

/** How often the heap of a running task is looked at. One task adds some 40 to 90 MB in this time. */
const HEAP_WATCH_MS = 50;
/**
 * V8's own limit lies this much above the one that tasks get. A thread that meets V8's limit is given 16 MB more to end
 * in (Node's `Worker::NearHeapLimit`), and one that needs more than these, as a growing array or a full young generation
 * does, aborts the whole process.
 */
const HEAP_HEADROOM_MB = 256;
const MEGABYTE = 1024 ** 2;

export interface PoolThread {
  /** Tasks given to it and not yet ended; the first is being run. */
  readonly tasks: readonly Task[];
  /** How long the running task has run; 0 while there is none, or while the thread still loads. */
  readonly runningMs: () => number;
  /** @throws AppError invalid_request for a job that can't be copied to the thread, which then has nothing of it. */
  readonly run: (task: Task) => void;
  readonly terminate: () => Promise<void>;
}

export interface ThreadOptions {
  timeoutMs: number;
  maxHeapMb: number;
  isBackground: boolean;
  /** A task has ended while the thread lives on. */
  onEnd: (task: Task, outcome: Outcome) => void;
  /** The thread is of no more use: `task` was running, with `outcome`; `waiting` had not begun. */
  onDeath: (task: Task | undefined, outcome: Outcome, waiting: readonly Task[]) => void;
}

function toError({ name, message, stack }: Extract<ThreadAnswer, { state: 'error' }>): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

function toOutcome(reply: ThreadAnswer): Outcome {
  switch (reply.state) {
    case 'result': {
      return reply;
    }
    case 'error': {
      return { state: 'error', error: toError(reply) };
    }
    case 'schema-missing': {
      return { state: 'lost' };
    }
  }
}

/** Copying a value fails when it is too deep for the stack (RangeError), or holds what has no copy (DataCloneError). */
function notCopied(error: unknown): Error {
  const isTooDeep = error instanceof RangeError;
  if (!isTooDeep && !(error instanceof DOMException))
    return error instanceof Error ? error : new Error(String(error));
  return new AppError('invalid_request', {
    detail: isTooDeep ? TOO_DEEP : 'holds something that is not data',
    cause: error,
  });
}

/** What a thread is known to keep: half of what it does keep, so that it need not ask again. */
function createKnownParsers() {
  const known = new Set<string>();
  return {
    /** The thread has run this job. */
    learn: (job: Job): void => {
      if (job.kind !== 'extract') return;
      known.delete(job.parserKey);
      known.add(job.parserKey);
      const [oldest] = known;
      if (known.size > CACHED_PARSERS / 2 && oldest !== undefined) known.delete(oldest);
    },
    /** The job as it is sent: without a schema that the thread has. */
    slim: (job: Job): Job =>
      job.kind === 'extract' && known.has(job.parserKey) ? { ...job, schema: undefined } : job,
  };
}

/** One worker thread. A task that runs too long, or takes too much memory, is killed with it. */
export function startThread({
  timeoutMs,
  maxHeapMb,
  isBackground,
  onEnd,
  onDeath,
}: ThreadOptions): PoolThread {
  const settings: ThreadSettings = { isBackground };
  const worker = new Worker(new URL('thread.ts', import.meta.url), {
    workerData: settings,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb + HEAP_HEADROOM_MB, stackSizeMb: 4 },
  });
  const parsers = createKnownParsers();
  const tasks: Task[] = [];
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;
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

  /** The thread answers in the midst of what it runs, though not of a garbage collection. */
  const watchHeap = async (): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    const [running] = tasks;
    // It fails only when the thread is gone.
    const heap = await worker.getHeapStatistics().catch(() => undefined);
    isAsked = false;
    if (tasks[0] !== running || heap === undefined) return;
    if (heap.used_heap_size > maxHeapMb * MEGABYTE) die({ state: 'thread-died', reason: 'memory' });
  };

  /** One timer for all tasks: it looks at what runs now and then, and is not set anew for each task. */
  const watch = (): void => {
    timer = undefined;
    if (tasks.length === 0) return;
    const ranMs = performance.now() - startedAt;
    if (ranMs >= timeoutMs) {
      die({ state: 'timeout' });
      return;
    }
    if (ranMs >= HEAP_WATCH_MS) void watchHeap();
    timer = setTimeout(watch, Math.min(timeoutMs - ranMs, HEAP_WATCH_MS)).unref();
  };

  const startClock = (): void => {
    startedAt = performance.now();
    timer ??= setTimeout(watch, Math.min(timeoutMs, HEAP_WATCH_MS)).unref();
  };

  const send = (task: Task, job: Job): void => {
    try {
      worker.postMessage({ id: task.id, job }, task.transfer);
    } catch (error) {
      throw notCopied(error);
    }
  };

  /** The thread has no more to do with the task. */
  const end = (at: number, task: Task, outcome: Outcome): void => {
    tasks.splice(at, 1);
    if (tasks.length > 0) startClock();
    else worker.unref();
    onEnd(task, outcome);
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
    if (reply.state === 'schema-missing' && task.transfer.length === 0) {
      try {
        send(task, task.job);
      } catch (error) {
        end(at, task, { state: 'error', error: notCopied(error) });
      }
      return;
    }
    if (reply.state === 'result') parsers.learn(task.job);
    end(at, task, toOutcome(reply));
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
    runningMs: () => (tasks.length > 0 && isReady ? performance.now() - startedAt : 0),
    run(task) {
      // First, because it may fail: a task that the thread never got would wait for its time to run out.
      send(task, parsers.slim(task.job));
      if (tasks.push(task) > 1) return;
      worker.ref();
      // The time a thread takes to load is not the task's.
      if (isReady) startClock();
    },
    async terminate() {
      isDead = true;
      clearTimeout(timer);
      await worker.terminate();
    },
  };
}
