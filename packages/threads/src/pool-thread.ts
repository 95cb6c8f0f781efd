import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@gleaner/contracts/errors';
import { LRUCache } from 'lru-cache';
import type { Job, Request } from './jobs.ts';
import {
  KEPT_DEFINITIONS,
  TOO_DEEP,
  type Definition,
  type JobError,
  type JobResult,
  type Reply,
} from './protocol.ts';
import { createWatchdog, KilledError, outOfMemory } from './watchdog.ts';

/** A job on its way through the pool. */
export interface Task {
  readonly id: number;
  readonly owner: string | undefined;
  readonly job: Job;
  readonly definitions: readonly Definition[];
  /** Size of its page. */
  readonly bytes: number;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: Error) => void;
  /** Number of threads that died while they ran it. */
  deaths: number;
}

/**
 * V8's own heap limit is this much higher than the limit of tasks. When a thread reaches V8's limit, Node gives it
 * another 16 MB to end (`Worker::NearHeapLimit`). If that is not enough, for example for a growing array or a full
 * young generation, V8 aborts the whole process.
 */
const HEAP_HEADROOM_MB = 256;

export interface PoolThread {
  /** Tasks that the thread holds; it runs the first. */
  readonly tasks: readonly Task[];
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
  /** A task is settled, and the thread continues. */
  onEnd: () => void;
  /** The thread has ended while it ran the first of these tasks, none of which is settled. */
  onDeath: (tasks: readonly Task[], cause: KilledError) => void;
}

function toError({ name, message, stack }: JobError): Error {
  return Object.assign(new Error(message), { name }, stack === undefined ? {} : { stack });
}

function endedBy(reason: string): KilledError {
  return new KilledError('fault', `extraction ended its thread: ${reason}`);
}

/** Copying fails for values that are too deep for the stack (RangeError) or can't be cloned (DataCloneError). */
function notCopied(error: unknown): unknown {
  const isTooDeep = error instanceof RangeError;
  if (!isTooDeep && !(error instanceof DOMException)) return error;
  return new AppError('invalid_request', {
    detail: isTooDeep ? TOO_DEEP : 'holds something that is not data',
    cause: error,
  });
}

/**
 * The environment of a thread: nothing but where this process keeps its compiled code, with which a thread starts in half
 * the time.
 */
export function threadEnv(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** The thread's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(IS_SOURCE ? 'thread.ts' : 'thread.js', import.meta.url);

function startWorker({ maxHeapMb, isBackground }: ThreadOptions): Worker {
  const worker = new Worker(THREAD, {
    workerData: { isBackground },
    env: threadEnv(),
    execArgv: IS_SOURCE ? [] : ['--enable-source-maps'],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb + HEAP_HEADROOM_MB, stackSizeMb: 4 },
  });
  // An idle pool doesn't keep the process alive.
  worker.unref();
  return worker;
}

/**
 * The definitions that a thread certainly has. It keeps those it used last; half as many are assumed here, so the tasks that
 * are still on their way can't have replaced them.
 */
function createKnown() {
  const known = {
    parser: new LRUCache<string, true>({ max: KEPT_DEFINITIONS.parser / 2 }),
    rules: new LRUCache<string, true>({ max: KEPT_DEFINITIONS.rules / 2 }),
  };
  return {
    has: ({ kind, key }: Definition): boolean => known[kind].has(key),
    add: ({ kind, key }: Definition) => known[kind].set(key, true),
  };
}

/**
 * Starts a worker thread: it loads, then runs the tasks it holds one after another, until it is terminated or dies. A
 * task that exceeds its time or memory is killed together with the thread.
 */
export function startThread(options: ThreadOptions): PoolThread {
  const worker = startWorker(options);
  const known = createKnown();
  const tasks: Task[] = [];
  let state: 'loading' | 'ready' | 'dead' = 'loading';
  let idleSince = performance.now();

  const die = (cause: KilledError): void => {
    if (state === 'dead') return;
    state = 'dead';
    watchdog.end();
    void worker.terminate();
    options.onDeath(tasks.splice(0), cause);
  };

  const watchdog = createWatchdog({ ...options, worker, kill: die });

  const end = (task: Task): void => {
    tasks.splice(tasks.indexOf(task), 1);
    if (tasks.length > 0) watchdog.begin();
    else {
      watchdog.end();
      idleSince = performance.now();
      worker.unref();
    }
    options.onEnd();
  };

  worker.on('message', (reply: Reply) => {
    if (state === 'dead') return;
    if (reply.state === 'ready') {
      state = 'ready';
      if (tasks.length > 0) watchdog.begin();
      return;
    }
    const task = tasks.find(({ id }) => id === reply.id);
    if (task === undefined) return;
    if (reply.state === 'error') task.reject(toError(reply.error));
    else {
      task.definitions.forEach(known.add);
      task.resolve(reply.result);
    }
    end(task);
  });
  worker.on('error', (error) => {
    const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    die(isOutOfMemory ? outOfMemory(options) : endedBy(error.message));
  });
  worker.on('exit', (code) => die(endedBy(`its thread ended with ${code}`)));

  return {
    tasks,
    idleMs: () => (tasks.length === 0 ? performance.now() - idleSince : 0),
    run(task) {
      const definitions = task.definitions.filter((definition) => !known.has(definition));
      const request: Request = { id: task.id, job: task.job, definitions };
      // Sending comes first because it may fail: a task that the thread never received would wait for its timeout.
      try {
        worker.postMessage(request, []);
      } catch (error) {
        throw notCopied(error);
      }
      if (tasks.push(task) > 1) return;
      worker.ref();
      // The time for loading the thread doesn't count against the task.
      if (state === 'ready') watchdog.begin();
    },
    async terminate() {
      state = 'dead';
      watchdog.end();
      await worker.terminate();
    },
  };
}
