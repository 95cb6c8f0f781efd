import { DelayedError, type Job, type Queue, type Worker } from 'bullmq';
import {
  jobOptions,
  SHOWN_JOBS,
  toJobHandle,
  type Constructors,
  type Handler,
  type Log,
  type QueueBackend,
} from './backend.ts';
import { claimerOf, LOCK_MS } from './claimer.ts';
import { wakeUpsOf } from './wake-ups.ts';
import {
  batchQueue,
  ENGINES,
  hasUnknownKind,
  payloadSchema,
  type Delivery,
  type QueueName,
} from './catalog.ts';

interface BackendParts {
  kind: QueueBackend['kind'];
  log: Log;
  signals: QueueBackend['signals'];
  constructors: Constructors;
  ping(): Promise<void>;
  /** Called when all queues and workers are closed. */
  close(): Promise<void>;
}

/** Long enough for a process of a later version to take a job of a kind that this one doesn't know. */
const UNKNOWN_BACK_MS = 1_000;

/** Runs the handler; a job of a later version is delayed (https://docs.bullmq.io/patterns/process-step-jobs). */
async function process(handler: Handler, job: Job, token: string | undefined): Promise<void> {
  if (!hasUnknownKind(job.data)) return handler(payloadSchema.parse(job.data), toJobHandle(job));
  await job.moveToDelayed(Date.now() + UNKNOWN_BACK_MS, token);
  throw new DelayedError();
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
    await Promise.all(
      deliveries.map(({ queue, payload, jobId, priority, delayMs }) =>
        queueOf(queue).add(payload.kind, payload, {
          ...jobOptions(payload.kind),
          ...(jobId === undefined ? {} : { jobId }),
          ...(priority === undefined ? {} : { priority }),
          ...(delayMs === undefined ? {} : { delay: delayMs }),
        }),
      ),
    );
  };

  return {
    kind: parts.kind,
    deliver,
    signals: parts.signals,
    consume: (name, handler, { concurrency }) => {
      const worker = constructors.worker(name, (job, token) => process(handler, job, token), {
        ...WORKER_OPTIONS,
        concurrency,
      });
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
      const claimer = claimerOf(worker, queueOf(name), UNKNOWN_BACK_MS);
      return {
        ...claimer,
        close: async () => {
          workers.delete(worker);
          await claimer.close();
        },
      };
    },
    ...wakeUpsOf(() => queueOf('crons')),
    ping: parts.ping,
    counts: (name) => queueOf(name).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    removeShown: async (olderThanMs) => {
      await Promise.all(
        [...ENGINES.map(batchQueue), 'crons' as const].map((name) =>
          queueOf(name).clean(olderThanMs, SHOWN_JOBS, 'completed'),
        ),
      );
    },
    queue: queueOf,
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await parts.close();
    },
  };
}
