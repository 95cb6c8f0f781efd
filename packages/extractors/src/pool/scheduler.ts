import { AppError } from '@gleaner/contracts';
import { createFairQueue } from './fair-queue.ts';
import { createIdleThreads } from './idle-threads.ts';
import { createOwnerAllowance } from './owner-allowance.ts';
import { startThread, type Outcome, type PoolThread, type Task } from './pool-thread.ts';
import type { Job } from './protocol.ts';

export interface SchedulerOptions {
  threads: number;
  timeoutMs: number;
  maxQueue: number;
  maxQueuePerOwner: number;
  maxHeapMb: number;
  pipeline: number;
  isBackground: boolean;
  spareThreads: number;
  idleMs: number;
}

export interface PoolStats {
  threads: number;
  /** Threads that hold a task. */
  busy: number;
  /** Tasks that wait for a thread. */
  queued: number;
  completed: number;
  timeouts: number;
  threadsReplaced: number;
}

export interface Submission {
  job: Job;
  /** The owner, for a fair share of the threads. */
  owner?: string | undefined;
  transfer?: ArrayBuffer[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface Scheduler {
  submit: (submission: Submission) => Promise<Outcome>;
  stats: () => PoolStats;
  close: () => Promise<void>;
}

/** A task fails after this many threads died while they ran it. */
const MAX_DEATHS = 2;

/** A page of this size keeps its thread busy for so long that no other task should wait for it. */
const LARGE_BYTES = 1024 ** 2;

/** A task that has run for this long is slow: it must not keep the tasks of other owners waiting. */
const SLOW_MS = 100;
/** Threads beyond the spare ones, for a moment when every thread runs a slow task and others wait. */
const MOST_RELIEF = 3;

function isMoved({ transfer }: Task): boolean {
  return transfer.length > 0;
}

function isLarge({ bytes }: Task): boolean {
  return bytes >= LARGE_BYTES;
}

function closedError(): AppError {
  return new AppError('temporarily_unavailable', { detail: 'the extraction pool is closed' });
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('aborted');
}

function toFault(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Assigns tasks to threads, alternating between owners. Replaces threads that died and runs their tasks again. */
export function createScheduler(options: SchedulerOptions, start = startThread): Scheduler {
  const { timeoutMs, maxHeapMb, maxQueue, maxQueuePerOwner, pipeline, isBackground, spareThreads } = options;
  /** Threads that are kept while there is work; one owner may have `options.threads` of them busy. */
  const kept = options.threads + spareThreads;
  const hasRelief = spareThreads > 0;
  const threads = new Set<PoolThread>();
  const queue = createFairQueue<Task>();
  // The slots of a batch bound its waiting pages, and one slow page must not fail the others.
  const leastAllowed = isBackground ? maxQueuePerOwner : Math.min(maxQueuePerOwner, 2 * options.threads);
  const allowance = createOwnerAllowance(maxQueuePerOwner, leastAllowed);
  let nextId = 0;
  let isClosed = false;
  let startFault: Error | undefined;
  let completed = 0;
  let timeouts = 0;
  let threadsReplaced = 0;
  let reliefTimer: NodeJS.Timeout | undefined;

  const settle = (task: Task, outcome: Outcome): void => {
    completed += 1;
    if (outcome.state === 'timeout') timeouts += 1;
    allowance.learn(task.owner, outcome);
    task.settle(outcome);
  };

  /** Undefined when the machine can't start a thread now. The next task tries again. */
  const startOne = (): PoolThread | undefined => {
    try {
      return startAny();
    } catch (error) {
      startFault = toFault(error);
      return undefined;
    }
  };

  const startAny = (): PoolThread => {
    const thread: PoolThread = start({
      timeoutMs,
      maxHeapMb,
      isBackground,
      onEnd(task, outcome) {
        settle(task, outcome);
        dispatch();
        if (threads.size > kept && thread.tasks.length === 0) retire(thread);
      },
      onDeath(running, outcome, waiting) {
        threads.delete(thread);
        if (isClosed) return;
        threadsReplaced += 1;
        if (!isBackground && threads.size < kept) startOne();
        for (const task of waiting.toReversed()) {
          if (isMoved(task)) settle(task, { state: 'lost' });
          else queue.putBack(task);
        }
        if (running !== undefined) endDead(running, outcome);
        dispatch();
      },
    });
    threads.add(thread);
    idle.watch();
    return thread;
  };

  /** Ends a thread that has nothing to do and is beyond those that are kept. */
  const retire = (thread: PoolThread): void => {
    threads.delete(thread);
    void thread.terminate();
  };

  const idle = createIdleThreads({ threads, idleMs: options.idleMs, retire });

  const endDead = (task: Task, outcome: Outcome): void => {
    task.deaths += 1;
    // A timeout is final, and a moved body is lost with its thread. Any other death may be another task's fault.
    const canRunAgain = outcome.state === 'thread-died' && task.deaths < MAX_DEATHS && !isMoved(task);
    if (canRunAgain) queue.putBack(task);
    else settle(task, outcome);
  };

  const freest = (): PoolThread | undefined => {
    let best: PoolThread | undefined;
    for (const thread of threads) {
      if (best === undefined || thread.tasks.length < best.tasks.length) best = thread;
    }
    if (best?.tasks.length === 0) return best;
    if (best === undefined || threads.size < kept || mayRelieve()) best = startOne() ?? best;
    if (best === undefined || best.tasks.length === 0) return best;
    // A task that is large or has killed a thread gets a thread of its own.
    const isAlone = (task: Task): boolean => task.deaths > 0 || isLarge(task);
    const next = queue.peek({ isBarred });
    if (best.tasks.length >= pipeline || best.tasks.some(isAlone)) return undefined;
    return next !== undefined && isAlone(next) ? undefined : best;
  };

  /** An owner has at most `options.threads` threads busy, so that spare ones are free for the others. */
  const isBarred = (owner: string | undefined): boolean => {
    if (!hasRelief || owner === undefined) return false;
    let busy = 0;
    for (const thread of threads) if (thread.tasks[0]?.owner === owner) busy += 1;
    return busy >= options.threads;
  };

  /** Whether a task waits while every thread runs a slow task. */
  const mayRelieve = (): boolean => {
    if (!hasRelief || threads.size >= kept + MOST_RELIEF || queue.peek({ isBarred }) === undefined)
      return false;
    for (const thread of threads) if (thread.runningMs() < SLOW_MS) return false;
    return true;
  };

  /** Looks again when the tasks that run now have become slow. */
  const watchRelief = (): void => {
    if (!hasRelief || reliefTimer !== undefined || queue.size === 0 || threads.size >= kept + MOST_RELIEF)
      return;
    reliefTimer = setTimeout(() => {
      reliefTimer = undefined;
      dispatch();
    }, SLOW_MS).unref();
  };

  /** Whether the owner's tasks run on all other threads. An idle thread is then kept for other owners. */
  const hasOtherThreads = (owner: string | undefined, idle: PoolThread): boolean => {
    if (idle.tasks.length > 0) return false;
    for (const thread of threads) {
      if (thread !== idle && thread.tasks[0]?.owner !== owner) return false;
    }
    return true;
  };

  /** Fails the queued tasks, because no thread would ever run them. */
  const failQueued = (): void => {
    const error = new AppError('temporarily_unavailable', {
      detail: 'no extraction thread could be started',
      retryAfterSeconds: 1,
      cause: startFault,
    });
    for (const task of queue.drain()) settle(task, { state: 'error', error });
  };

  /** Never throws: timers and the threads' own events call it. */
  const dispatch = (): void => {
    while (queue.size > 0) {
      const thread = freest();
      if (thread === undefined) {
        if (threads.size === 0) failQueued();
        else watchRelief();
        return;
      }
      const task = queue.take({
        isPassedOver: threads.size > 1 ? (owner) => hasOtherThreads(owner, thread) : undefined,
        isBarred,
      });
      if (task === undefined) return;
      try {
        thread.run(task);
      } catch (error) {
        settle(task, { state: 'error', error: toFault(error) });
      }
    }
  };

  return {
    async submit({ job, owner, transfer = [], signal }) {
      if (isClosed) throw closedError();
      if (signal?.aborted === true) throw abortReason(signal);
      if (queue.size >= maxQueue) {
        throw new AppError('temporarily_unavailable', {
          detail: `${queue.size} extractions are waiting`,
          retryAfterSeconds: 1,
        });
      }
      const ownWaiting = queue.sizeOf(owner);
      if (ownWaiting >= allowance.of(owner)) {
        throw new AppError('concurrency_limit_exceeded', {
          detail: `${ownWaiting} extractions of this account are waiting`,
          retryAfterSeconds: 1,
        });
      }
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      nextId += 1;
      const bytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const task: Task = { id: nextId, owner, job, transfer, bytes, deaths: 0, settle: resolve };
      if (signal === undefined) {
        queue.push(task);
        dispatch();
        return promise;
      }
      const onAbort = (): void => {
        queue.remove(task);
        reject(abortReason(signal));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.push(task);
      dispatch();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    stats: () => ({
      threads: threads.size,
      busy: [...threads].filter(({ tasks }) => tasks.length > 0).length,
      queued: queue.size,
      completed,
      timeouts,
      threadsReplaced,
    }),
    async close() {
      isClosed = true;
      clearTimeout(reliefTimer);
      idle.stop();
      const error = closedError();
      for (const task of [...queue.drain(), ...[...threads].flatMap(({ tasks }) => tasks)]) {
        task.settle({ state: 'error', error });
      }
      await Promise.all([...threads].map((thread) => thread.terminate()));
      threads.clear();
    },
  };
}
