import { AppError } from '@gleaner/contracts/errors';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import type { Job } from './jobs.ts';
import { startThread, type PoolThread, type Task } from './pool-thread.ts';
import type { Definition, JobResult } from './protocol.ts';
import type { KilledError } from './watchdog.ts';

export interface PoolOptions {
  /** One owner has at most this many busy at once. */
  threads: number;
  /**
   * Threads beside these for owners that have none busy, so that the slow tasks of this many owners never keep another one
   * waiting. Default: 0.
   */
  spareThreads?: number;
  /** A task that takes more CPU time is killed with its thread; in any case after four times as long. Default 10,000. */
  timeoutMs?: number;
  /**
   * The most waiting tasks; further ones are rejected with `temporarily unavailable`. Default 1,000. One owner may have a
   * quarter of them (in the background: all); its further ones are rejected with `concurrency limit exceeded`.
   */
  maxQueue?: number;
  /** Heap of one thread. Default 512. */
  maxHeapMb?: number;
  /** The most tasks per thread. 1 (default) gives the shortest waits; higher values keep threads busy in bulk work. */
  pipeline?: number;
  /** A thread that has had no task for about so long ends; the next task starts one again. Default: two minutes. */
  idleMs?: number;
  /** On Linux the threads run at a lower priority. */
  isBackground?: boolean;
}

export interface Caller {
  /** The account, for a fair share of the threads. */
  owner?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface PoolStats {
  threads: number;
  /** Threads that hold a task. */
  busy: number;
  /** Tasks that wait for a thread. */
  queued: number;
  /** Threads that died. */
  deaths: number;
}

/** A task fails after this many threads died while they ran it. */
const MAX_DEATHS = 2;
/** A page of this size keeps its thread busy for so long that no other task should wait for it. */
const LARGE_BYTES = 1024 ** 2;

interface State {
  readonly queue: FairQueue<Task>;
  readonly threads: Set<PoolThread>;
  /** The most threads at once, with the spare ones. */
  readonly size: number;
  readonly spareThreads: number;
  /** The most tasks per thread. */
  readonly pipeline: number;
  readonly start: () => PoolThread;
  isClosed: boolean;
  deaths: number;
}

function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail, retryAfterSeconds: 1, cause });
}

function toFault(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function busyThreads({ threads }: State): PoolThread[] {
  return [...threads].filter(({ tasks }) => tasks.length > 0);
}

/**
 * The task to run next. An owner whose tasks run leaves the last free threads to the others: always, if the pool has spare
 * threads, else only while others wait.
 */
function nextTask(state: State): Task | undefined {
  const { queue, size, spareThreads } = state;
  const busy = busyThreads(state);
  const free = size - busy.length;
  if (free === 0 || free > Math.max(1, spareThreads)) return queue.next();
  const task = queue.next((owner) => !busy.some(({ tasks }) => tasks[0]?.owner === owner));
  return task === undefined && spareThreads === 0 ? queue.next() : task;
}

/** A task that is large or has killed a thread gets a thread of its own. */
function isAlone({ deaths, bytes }: Task): boolean {
  return deaths > 0 || bytes >= LARGE_BYTES;
}

/**
 * The thread to give a task to: one without a task, started if need be, else the one with the fewest, if it may hold more.
 * Undefined when the task has to wait.
 * @throws AppError temporarily_unavailable when the pool has no thread and the machine can't start one now
 */
function threadFor({ threads, size, pipeline, start }: State, task: Task): PoolThread | undefined {
  let freest: PoolThread | undefined;
  for (const thread of threads) {
    if (freest === undefined || thread.tasks.length < freest.tasks.length) freest = thread;
  }
  if (freest?.tasks.length === 0) return freest;
  if (threads.size < size) {
    try {
      return start();
    } catch (error) {
      if (freest === undefined) throw unavailable('no extraction thread could be started', error);
    }
  }
  const isFull =
    freest === undefined ||
    freest.tasks.length >= pipeline ||
    isAlone(task) ||
    freest.tasks.some((other) => isAlone(other));
  return isFull ? undefined : freest;
}

/** Gives waiting tasks to threads. Never throws, because the threads' events call it. */
function dispatch(state: State): void {
  const { queue } = state;
  for (let task = nextTask(state); task !== undefined; task = nextTask(state)) {
    try {
      const thread = threadFor(state, task);
      if (thread === undefined) return;
      queue.take(task);
      thread.run(task);
    } catch (error) {
      queue.remove(task);
      task.reject(toFault(error));
    }
  }
}

/** Runs the tasks of a dead thread again. It ran the first of them, which may have to fail. */
function recover(state: State, [first, ...others]: readonly Task[], cause: KilledError): void {
  if (state.isClosed) return;
  state.deaths += 1;
  if (first !== undefined) {
    first.deaths += 1;
    // A timeout is final. Any other death may be another task's fault.
    if (cause.by === 'time' || first.deaths >= MAX_DEATHS) first.reject(cause);
    else others.unshift(first);
  }
  state.queue.putBack(others);
  dispatch(state);
}

/** A thread holds about 40 MB and loads in about 150 ms, so an idle process should have none and a busy one keep all. */
function endIdle(threads: Set<PoolThread>, idleMs: number): void {
  for (const thread of threads) {
    if (thread.idleMs() < idleMs) continue;
    threads.delete(thread);
    void thread.terminate();
  }
}

/**
 * Moves each task from waiting to running to settled, alternating between owners. Replaces threads that died and runs
 * their tasks again.
 */
export function createScheduler(options: PoolOptions, startOne = startThread) {
  const { threads: own, spareThreads = 0, maxQueue = 1_000, idleMs = 120_000 } = options;
  const { timeoutMs = 10_000, maxHeapMb = 512, pipeline = 1, isBackground = false } = options;
  const maxQueuePerOwner = isBackground ? maxQueue : Math.ceil(maxQueue / 4);
  const queue = createFairQueue<Task>();
  const threads = new Set<PoolThread>();
  const start = (): PoolThread => {
    const thread: PoolThread = startOne({
      timeoutMs,
      maxHeapMb,
      isBackground,
      onEnd: () => dispatch(state),
      onDeath: (tasks, cause) => {
        threads.delete(thread);
        recover(state, tasks, cause);
      },
    });
    threads.add(thread);
    return thread;
  };
  const size = own + spareThreads;
  const state: State = { queue, threads, size, spareThreads, pipeline, start, isClosed: false, deaths: 0 };
  let nextId = 0;

  const idleTimer = setInterval(() => endIdle(threads, idleMs), idleMs / 2).unref();

  const admit = (owner: string | undefined): void => {
    if (state.isClosed) throw unavailable('the extraction pool is closed');
    if (queue.size >= maxQueue) throw unavailable(`${queue.size} extractions are waiting`);
    const ownWaiting = queue.sizeOf(owner);
    if (owner === undefined || ownWaiting < maxQueuePerOwner) return;
    throw new AppError('concurrency_limit_exceeded', {
      detail: `${ownWaiting} extractions of this account are waiting`,
      retryAfterSeconds: 1,
    });
  };

  return {
    async submit(
      job: Job,
      { owner, signal }: Caller = {},
      { definitions = [], bytes = 0 }: { definitions?: readonly Definition[]; bytes?: number } = {},
    ): Promise<JobResult> {
      if (signal?.aborted === true) throw toFault(signal.reason);
      admit(owner);
      const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
      nextId += 1;
      const task: Task = { id: nextId, owner, job, definitions, bytes, deaths: 0, resolve, reject };
      const abort = (): void => {
        queue.remove(task);
        reject(toFault(signal?.reason));
      };
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(task);
      dispatch(state);
      return promise.finally(() => signal?.removeEventListener('abort', abort));
    },
    stats: (): PoolStats => ({
      threads: threads.size,
      busy: busyThreads(state).length,
      queued: queue.size,
      deaths: state.deaths,
    }),
    async close(): Promise<void> {
      state.isClosed = true;
      clearInterval(idleTimer);
      const error = unavailable('the extraction pool is closed');
      const tasks = [...queue.drain(), ...[...threads].flatMap((thread) => thread.tasks)];
      for (const task of tasks) task.reject(error);
      await Promise.all([...threads].map((thread) => thread.terminate()));
      threads.clear();
    },
  };
}
