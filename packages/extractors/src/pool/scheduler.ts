import { AppError } from '@gleaner/contracts/errors';
import { createCrew, type Crew } from './crew.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import type { Caller, PoolOptions } from './options.ts';
import type { Job } from './jobs.ts';
import { startThread, type Task } from './pool-thread.ts';
import type { JobResult } from './protocol.ts';
import type { KilledError } from './watchdog.ts';

export interface PoolStats {
  threads: number;
  /** Threads that hold a task. */
  busy: number;
  /** Tasks that wait for a thread. */
  queued: number;
  /** Threads that died. */
  deaths: number;
}

/**
 * Moves each task from waiting to running to settled, alternating between owners. Replaces threads that died and runs
 * their tasks again.
 */
export interface Scheduler {
  submit: (job: Job, caller?: Caller, transfer?: ArrayBuffer[]) => Promise<JobResult>;
  stats: () => PoolStats;
  close: () => Promise<void>;
}

/**
 * The page was lost with its thread: another page ended the thread, or, with a `cause`, this one was running, and what
 * earlier pages left in the thread may be the reason. The caller should fetch it again.
 */
export class PageLostError extends Error {
  override name = 'PageLostError';
}

/** A task fails after this many threads died while they ran it. */
const MAX_DEATHS = 2;

interface State {
  readonly queue: FairQueue<Task>;
  readonly crew: Crew;
  readonly spareThreads: number;
  isClosed: boolean;
  deaths: number;
}

function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('temporarily_unavailable', { detail, retryAfterSeconds: 1, cause });
}

function toFault(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * The task to run next. An owner whose tasks run leaves the last free threads to the others: always, if the pool has spare
 * threads, else only while others wait.
 */
function nextTask({ queue, crew, spareThreads }: State): Task | undefined {
  const free = crew.free();
  if (free === 0 || free > Math.max(1, spareThreads)) return queue.next();
  const task = queue.next((owner) => crew.busyOf(owner) === 0);
  return task === undefined && spareThreads === 0 ? queue.next() : task;
}

/** Gives waiting tasks to threads. Never throws, because the threads' events call it. */
function dispatch(state: State): void {
  const { queue, crew } = state;
  for (let task = nextTask(state); task !== undefined; task = nextTask(state)) {
    const thread = crew.threadFor(task);
    if (thread === undefined) {
      if (crew.threads.size === 0) failWaiting(state);
      return;
    }
    queue.take(task);
    try {
      thread.run(task);
    } catch (error) {
      task.reject(toFault(error));
    }
  }
}

/** Fails the waiting tasks, because no thread would ever run them. */
function failWaiting({ queue, crew }: State): void {
  const error = unavailable('no extraction thread could be started', crew.fault());
  for (const task of queue.drain()) task.reject(error);
}

/** Runs the tasks of a dead thread again, except those that can't or must not. It ran the first of them. */
function recover(state: State, tasks: readonly Task[], cause: KilledError): void {
  if (state.isClosed) return;
  state.deaths += 1;
  const again = tasks.filter((task, at) => {
    const isMoved = task.transfer.length > 0;
    if (at > 0) {
      if (isMoved) task.reject(new PageLostError('the page was lost with its thread'));
      return !isMoved;
    }
    task.deaths += 1;
    // A timeout is final. Any other death may be another task's fault.
    if (cause.by === 'time' || task.deaths >= MAX_DEATHS) task.reject(cause);
    else if (isMoved) task.reject(new PageLostError(cause.message, { cause }));
    else return true;
    return false;
  });
  state.queue.putBack(again);
  dispatch(state);
}

/** Settles as `work` does, but rejects at once when the signal aborts. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal, onAbort: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    onAbort();
    reject(toFault(signal.reason));
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export function createScheduler(options: Omit<PoolOptions, 'moveBytes'>, start = startThread): Scheduler {
  const { threads, spareThreads = 0, maxQueue = 1_000, isBackground = false } = options;
  const { maxQueuePerOwner = isBackground ? maxQueue : Math.ceil(maxQueue / 4) } = options;
  const crew = createCrew({
    timeoutMs: 10_000,
    maxHeapMb: 512,
    pipeline: 1,
    idleMs: 120_000,
    ...options,
    isBackground,
    size: threads + spareThreads,
    start,
    onEnd: () => dispatch(state),
    onDeath: (tasks, cause) => recover(state, tasks, cause),
  });
  const queue = createFairQueue<Task>();
  const state: State = { queue, crew, spareThreads, isClosed: false, deaths: 0 };
  let nextId = 0;

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
    async submit(job, { owner, signal } = {}, transfer = []) {
      if (signal?.aborted === true) throw toFault(signal.reason);
      admit(owner);
      const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
      nextId += 1;
      const bytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const task: Task = { id: nextId, owner, job, transfer, bytes, deaths: 0, resolve, reject };
      queue.push(task);
      dispatch(state);
      return signal === undefined ? promise : abortable(promise, signal, () => queue.remove(task));
    },
    stats: () => {
      const busy = [...crew.threads].filter(({ tasks }) => tasks.length > 0);
      return { threads: crew.threads.size, busy: busy.length, queued: queue.size, deaths: state.deaths };
    },
    async close() {
      state.isClosed = true;
      const error = unavailable('the extraction pool is closed');
      for (const task of [...queue.drain(), ...[...crew.threads].flatMap(({ tasks }) => tasks)]) {
        task.reject(error);
      }
      await crew.close();
    },
  };
}
