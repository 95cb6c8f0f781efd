import type { Job, Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import type { Delivery, Payload, QueueName } from './catalog.ts';
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
  /** Adds jobs. Throws within seconds when the backend is unavailable. */
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

export function jobOptions(kind: Payload['kind']) {
  return {
    // Postgres counts attempts; BullMQ only delivers.
    attempts: 1,
    removeOnComplete: kind === 'turn' || kind === 'cron' ? SHOWN : true,
    removeOnFail: true,
  };
}

export function toJobHandle(job: Job): JobHandle {
  return {
    jobId: job.id ?? '',
    setProgress: (progress) => job.updateProgress(progress),
    addLog: async (line) => {
      await job.log(line);
    },
  };
}
