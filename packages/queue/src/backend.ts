import type { Job, Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import type { Delivery, Payload, QueueName } from './catalog.ts';
import type { Signals } from './signals.ts';

/** The little of pino that this package needs. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface JobHandle {
  /** BullMQ's id of the job. */
  jobId: string;
  /** Shown in Bull Board. */
  setProgress(progress: object): Promise<void>;
  addLog(line: string): Promise<void>;
}

/**
 * Does one job. `PutBack` gives the job back to its queue, where it comes up again after so many milliseconds, at its
 * old priority.
 */
export type Handler = (payload: Payload, job: JobHandle) => Promise<PutBack | void>;

export interface PutBack {
  putBackForMs: number;
}

export interface Consumer {
  /** Takes no new jobs; those under way go on, and what waits is left to other workers. */
  pause(): Promise<void>;
  resume(): void;
  /** How many jobs it has at once from now on; looked at whenever a job ends. */
  setConcurrency(concurrency: number): void;
  /** Waits for running jobs to end. */
  close(): Promise<void>;
}

export type JobCounts = Record<string, number>;

/** The queues of one process, on Redis or on Postgres: the same for everybody who uses it. */
export interface QueueBackend {
  kind: 'redis' | 'postgres';
  /** Adds jobs; throws within seconds when the backend is away. */
  deliver(deliveries: readonly Delivery[]): Promise<void>;
  /** Short messages between processes, over the same server. */
  signals: Signals;
  consume(queue: QueueName, handler: Handler, options: { concurrency: number }): Consumer;
  /** Throws when the backend does not answer. */
  ping(): Promise<void>;
  counts(queue: QueueName): Promise<JobCounts>;
  /** Forgets chunks that ended so long ago: Bull Board shows the last of each queue until then. */
  removeShown(olderThanMs: number): Promise<void>;
  /** For Bull Board. */
  queue(name: QueueName): Queue;
  /**
   * A value that lives and dies with the jobs: reading null means that the backend lost its data (a flushed
   * Redis) and that everything admitted must be delivered again.
   */
  readEpoch(): Promise<string | null>;
  writeEpoch(value: string): Promise<void>;
  close(): Promise<void>;
}

/** Constructors of BullMQ, bound to a backend and its connection. */
export interface Constructors {
  queue(name: QueueName): Queue;
  worker(name: QueueName, processor: Processor, options: Omit<WorkerOptions, 'connection'>): Worker;
}

/** Ended chunks of a queue that Bull Board still shows: what failed in them stands in their logs. */
export const SHOWN_CHUNKS = 100;

export function jobOptions(kind: Payload['kind']) {
  return {
    // Postgres decides about attempts; BullMQ only delivers.
    attempts: 1,
    removeOnComplete: kind === 'chunk' ? { count: SHOWN_CHUNKS } : true,
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
