import { Worker } from 'node:worker_threads';
import { AppError } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { CACHED_PARSERS } from './parser-cache.ts';
import { TOO_DEEP, type ThreadAnswer, type Job, type Reply, type ThreadSettings } from './protocol.ts';

/** A job on its way through the pool. */
export interface Task {
  readonly id: number;
  readonly owner: string | undefined;
  readonly job: Job;
  readonly transfer: ArrayBuffer[];
  /** Size of the moved buffers. */
  readonly bytes: number;
  readonly settle: (outcome: Outcome) => void;
  /** Number of threads that died while they ran it. */
  deaths: number;
}

export type Outcome =
  | { state: 'result'; json: string | undefined; data?: string; body?: Uint8Array }
  | { state: 'error'; error: Error }
  | { state: 'timeout' }
  /** The thread ended before it began the task, and the moved body was lost with it. */
  | { state: 'lost' }
  | { state: 'thread-died'; reason: string };

/** The interval between checks of a running task's heap. A task can add 40 to 90 MB in this time. */
const HEAP_WATCH_MS = 50;
/**
 * V8's own heap limit is this much higher than the limit of tasks. When a thread reaches V8's limit, Node gives it
 * another 16 MB to end (`Worker::NearHeapLimit`). If that is not enough, for example for a growing array or a full
 * young generation, V8 aborts the whole process.
 */
const HEAP_HEADROOM_MB = 256;
const MEGABYTE = 1024 ** 2;

export interface PoolThread {
  /** Tasks that the thread holds; it runs the first. */
  readonly tasks: readonly Task[];
  /** How long the running task has run; 0 while there is none, or while the thread still loads. */
  readonly runningMs: () => number;
  /** How long the thread has been without a task; 0 while it has one. */
  readonly idleMs: () => number;
  /** @throws AppError invalid_request for a job that can't be copied to the thread. The thread receives nothing then. */
  readonly run: (task: Task) => void;
  readonly terminate: () => Promise<void>;
}

export interface ThreadOptions {
  timeoutMs: number;
  maxHeapMb: number;
  isBackground: boolean;
  /** A task ended, and the thread continues. */
  onEnd: (task: Task, outcome: Outcome) => void;
  /** The thread has ended. `task` was running and ended with `outcome`; the `waiting` tasks had not begun. */
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

/** Copying fails for values that are too deep for the stack (RangeError) or can't be cloned (DataCloneError). */
function notCopied(error: unknown): Error {
  const isTooDeep = error instanceof RangeError;
  if (!isTooDeep && !(error instanceof DOMException))
    return error instanceof Error ? error : new Error(String(error));
  return new AppError('invalid_request', {
    detail: isTooDeep ? TOO_DEEP : 'holds something that is not data',
    cause: error,
  });
}

/** The parsers that a thread certainly has cached: half of its cache, so that it never has to ask for a schema again. */
function createKnownParsers() {
  const known = new LRUCache<string, true>({ max: CACHED_PARSERS / 2 });
  return {
    /** Records that the thread ran this job. */
    learn: (job: Job): void => {
      if (job.kind === 'extract') known.set(job.parserKey, true);
    },
    /** The job as sent to the thread, without a schema that the thread already has. */
    slim: (job: Job): Job =>
      job.kind === 'extract' && known.has(job.parserKey) ? { ...job, schema: undefined } : job,
  };
}

/** The thread's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(IS_SOURCE ? 'thread.ts' : 'thread.js', import.meta.url);

/** Starts a worker thread. A task that exceeds its time or memory is killed together with the thread. */
export function startThread({
  timeoutMs,
  maxHeapMb,
  isBackground,
  onEnd,
  onDeath,
}: ThreadOptions): PoolThread {
  const settings: ThreadSettings = { isBackground };
  const worker = new Worker(THREAD, {
    workerData: settings,
    env: {},
    execArgv: IS_SOURCE ? [] : ['--enable-source-maps'],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb + HEAP_HEADROOM_MB, stackSizeMb: 4 },
  });
  const parsers = createKnownParsers();
  const tasks: Task[] = [];
  let startedAt = 0;
  let idleSince = performance.now();
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

  /** The thread answers while it runs a task, but not during a garbage collection. */
  const watchHeap = async (): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    const [running] = tasks;
    // The call fails only when the thread has ended.
    const heap = await worker.getHeapStatistics().catch(() => undefined);
    isAsked = false;
    if (tasks[0] !== running || heap === undefined) return;
    if (heap.used_heap_size > maxHeapMb * MEGABYTE) die({ state: 'thread-died', reason: 'memory' });
  };

  /** One timer checks the running task periodically, which is cheaper than one timer per task. */
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

  /** The thread no longer holds the task. */
  const end = (at: number, task: Task, outcome: Outcome): void => {
    tasks.splice(at, 1);
    if (tasks.length > 0) startClock();
    else {
      idleSince = performance.now();
      worker.unref();
    }
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
  // An idle pool doesn't keep the process alive.
  worker.unref();

  return {
    tasks,
    idleMs: () => (tasks.length === 0 ? performance.now() - idleSince : 0),
    runningMs: () => (tasks.length > 0 && isReady ? performance.now() - startedAt : 0),
    run(task) {
      // Sending comes first because it may fail: a task that the thread never received would wait for its timeout.
      send(task, parsers.slim(task.job));
      if (tasks.push(task) > 1) return;
      worker.ref();
      // The time for loading the thread doesn't count against the task.
      if (isReady) startClock();
    },
    async terminate() {
      isDead = true;
      clearTimeout(timer);
      await worker.terminate();
    },
  };
}
