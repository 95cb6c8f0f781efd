import { randomUUID } from 'node:crypto';
import { nextFiring } from '@gleaner/contracts';
import type { Job, Processor, Queue, RepeatStrategy, Worker, WorkerOptions } from 'bullmq';
import { hasUnknownKind, payloadSchema, type Delivery, type Payload, type QueueName } from './catalog.ts';
import { orAway } from './queue-away.ts';
import type { Signals } from './signals.ts';

/** The part of a pino logger that this package uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface JobHandle {
  /** BullMQ's job id. */
  jobId: string;
  /** Shown in Bull Board. */
  setProgress(progress: object): Promise<void>;
  addLog(line: string): Promise<void>;
}

/** Does one job. */
export type Handler = (payload: Payload, job: JobHandle) => Promise<void>;

/** A job that this process has claimed. */
export interface ClaimedJob extends JobHandle {
  payload: Payload;
  /** Replaces what Bull Board shows of it. */
  setData(data: Payload): Promise<void>;
  /** Gives it back to its queue, at its old priority. */
  putBack(forMs: number): Promise<void>;
  /** Ends it. Bull Board shows it for a while if `isShown`. A job that the queue lost can't end. */
  end(isShown?: boolean): Promise<void>;
}

/** Claims jobs of a queue by hand, when this process has room for one. */
export interface Claimer {
  /** Waits some seconds for a job. */
  claim(): Promise<ClaimedJob | undefined>;
  isPaused(): Promise<boolean>;
  /** Ends a claim that waits. Claimed jobs must have ended. */
  close(): Promise<void>;
}

export interface Consumer {
  /** Waits for running jobs to end. */
  close(): Promise<void>;
}

export type JobCounts = Record<string, number>;

/** A job scheduler of BullMQ: adds a job to the queue `crons` at each time of the schedule. */
export interface WakeUp {
  cronId: string;
  schedule: string;
  timezone: string;
  /** For people who look at Bull Board. */
  account: string;
  name: string;
}

/** The queues of one process, with the same interface on Redis and Postgres. */
export interface QueueBackend {
  kind: 'redis' | 'postgres';
  /** Adds jobs. Throws QueueAwayError within seconds when the server is unavailable: 1 s for Redis, 10 s for Postgres. */
  deliver(deliveries: readonly Delivery[]): Promise<void>;
  /** Short messages between processes, over the same server. */
  signals: Signals;
  consume(queue: QueueName, handler: Handler, options: { concurrency: number }): Consumer;
  claimer(queue: QueueName): Claimer;
  /** Throws when the backend does not answer. */
  ping(): Promise<void>;
  counts(queue: QueueName): Promise<JobCounts>;
  /** Makes or replaces wake-ups. Replacing one drops its next job, so do it only after a change. */
  setWakeUps(wakeUps: readonly WakeUp[]): Promise<void>;
  removeWakeUps(cronIds: readonly string[]): Promise<void>;
  countWakeUps(): Promise<number>;
  /** For Bull Board. */
  queue(name: QueueName): Queue;
  close(): Promise<void>;
}

/** Constructors of BullMQ, bound to a backend and its connection. */
export interface Constructors {
  queue(name: QueueName): Queue;
  worker(name: QueueName, processor: Processor | null, options: Omit<WorkerOptions, 'connection'>): Worker;
}

/** Which ended turns or wake-ups of a queue Bull Board shows; age in seconds. Their logs name the failures. */
const SHOWN = { count: 100, age: 3_600 };

function jobOptions(kind: Payload['kind']) {
  return {
    // Postgres counts attempts; BullMQ only delivers.
    attempts: 1,
    removeOnComplete: kind === 'turn' || kind === 'cron' ? SHOWN : true,
    removeOnFail: true,
  };
}

function toJobHandle(job: Job): JobHandle {
  return {
    jobId: job.id ?? '',
    setProgress: (progress) => job.updateProgress(progress),
    addLog: async (line) => {
      await job.log(line);
    },
  };
}

/** How long BullMQ takes a job for one that its worker runs, without a sign of it. */
const LOCK_MS = 30_000;

/** Keeps BullMQ's lock of a job until it ends (https://docs.bullmq.io/patterns/manually-fetching-jobs). */
function holdJob(job: Job, token: string): ClaimedJob {
  const renewal = setInterval(() => {
    // A job that the queue lost has no lock; its work continues.
    job.extendLock(token, LOCK_MS).catch(() => undefined);
  }, LOCK_MS / 3);
  renewal.unref();
  return {
    ...toJobHandle(job),
    payload: payloadSchema.parse(job.data),
    setData: (data) => job.updateData(data),
    putBack: async (forMs) => {
      clearInterval(renewal);
      await job.moveToDelayed(Date.now() + forMs, token);
    },
    end: async (isShown = false) => {
      clearInterval(renewal);
      if (!isShown) job.opts.removeOnComplete = true;
      await job.moveToCompleted('', token, false);
    },
  };
}

/** Long enough for a process of a later version to take a job of a kind that this one doesn't know. */
const UNKNOWN_BACK_MS = 1_000;

/** @param worker without a processor, so that it takes no job by itself */
function claimerOf(worker: Worker, queue: Queue): Claimer {
  let hasStarted = false;
  return {
    claim: async () => {
      if (!hasStarted) {
        hasStarted = true;
        await worker.startStalledCheckTimer();
      }
      const token = randomUUID();
      const job = await worker.getNextJob(token);
      if (job === undefined) return undefined;
      if (!hasUnknownKind(job.data)) return holdJob(job, token);
      // Versions before 0.2 delivered chunks; now workers take them.
      if (job.data.kind === 'chunk') {
        await job.moveToCompleted('', token, false);
        return undefined;
      }
      await job.moveToDelayed(Date.now() + UNKNOWN_BACK_MS, token);
      return undefined;
    },
    isPaused: () => queue.isPaused(),
    // Without force, it waits on Redis for a claim that waits.
    close: () => worker.close(true),
  };
}

/** BullMQ's own reading of schedules differs from ours where clocks change. */
const repeatStrategy: RepeatStrategy = (millis, { pattern, tz }) =>
  pattern === undefined ? undefined : (nextFiring(pattern, tz ?? 'UTC', millis) ?? undefined);

/** For every queue and worker: with it, BullMQ computes the next job of a scheduler as Gleaner computes firings. */
export const WAKE_UP_SETTINGS = { repeatStrategy };

type WakeUps = Pick<QueueBackend, 'setWakeUps' | 'removeWakeUps' | 'countWakeUps'>;

function wakeUpsOf(queue: () => Queue): WakeUps {
  return {
    setWakeUps: async (wakeUps) => {
      const making = wakeUps.map(({ cronId, schedule, timezone, account, name }) =>
        queue().upsertJobScheduler(
          cronId,
          { pattern: schedule, tz: timezone },
          { name: 'cron', data: { kind: 'cron', id: cronId, account, name }, opts: jobOptions('cron') },
        ),
      );
      await orAway(Promise.all(making));
    },
    removeWakeUps: async (cronIds) => {
      await orAway(Promise.all(cronIds.map((id) => queue().removeJobScheduler(id))));
    },
    countWakeUps: () => orAway(queue().getJobSchedulersCount()),
  };
}

interface BackendParts {
  kind: QueueBackend['kind'];
  log: Log;
  signals: QueueBackend['signals'];
  constructors: Constructors;
  ping(): Promise<void>;
  /** Called when all queues and workers are closed. */
  close(): Promise<void>;
}

const WORKER_OPTIONS = {
  // Leases in Postgres decide about lost work. BullMQ's stalled check only triggers another delivery.
  lockDuration: LOCK_MS,
  stalledInterval: 15_000,
  maxStalledCount: 1,
  drainDelay: 5,
  // How soon work continues after an outage of the backend.
  runRetryDelay: 1_000,
};

/** The behaviour that both backends share. */
export function buildBackend(parts: BackendParts): QueueBackend {
  const { log, constructors } = parts;
  const queues = new Map<QueueName, Queue>();
  const workers = new Set<Worker>();

  const queueOf = (name: QueueName): Queue => {
    const known = queues.get(name);
    if (known) return known;
    const queue = constructors.queue(name);
    queue.on('error', (error) => log.warn({ err: error, queue: name }, 'queue connection failed'));
    queues.set(name, queue);
    return queue;
  };

  const deliver = async (deliveries: readonly Delivery[]): Promise<void> => {
    const adding = deliveries.map(({ queue, payload, jobId, priority, delayMs }) =>
      queueOf(queue).add(payload.kind, payload, {
        ...jobOptions(payload.kind),
        ...(jobId === undefined ? {} : { jobId }),
        ...(priority === undefined ? {} : { priority }),
        ...(delayMs === undefined ? {} : { delay: delayMs }),
      }),
    );
    await orAway(Promise.all(adding));
  };

  return {
    kind: parts.kind,
    deliver,
    signals: parts.signals,
    consume: (name, handler, { concurrency }) => {
      const worker = constructors.worker(
        name,
        (job) => handler(payloadSchema.parse(job.data), toJobHandle(job)),
        {
          ...WORKER_OPTIONS,
          concurrency,
        },
      );
      // An error event without a listener would end the process (https://docs.bullmq.io/guide/workers).
      worker.on('error', (error) => log.warn({ err: error, queue: name }, 'queue consumer failed; retrying'));
      worker.on('failed', (job, error) =>
        log.error({ err: error, queue: name, jobId: job?.id }, 'job ended with an error'),
      );
      workers.add(worker);
      return {
        close: async () => {
          workers.delete(worker);
          await worker.close();
        },
      };
    },
    claimer: (name) => {
      const worker = constructors.worker(name, null, { ...WORKER_OPTIONS, autorun: false });
      worker.on('error', (error) => log.warn({ err: error, queue: name }, 'queue consumer failed; retrying'));
      workers.add(worker);
      const claimer = claimerOf(worker, queueOf(name));
      return {
        ...claimer,
        close: async () => {
          workers.delete(worker);
          await claimer.close();
        },
      };
    },
    ...wakeUpsOf(() => queueOf('crons')),
    ping: () => orAway(parts.ping()),
    counts: (name) =>
      orAway(queueOf(name).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed')),
    queue: queueOf,
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await parts.close();
    },
  };
}
