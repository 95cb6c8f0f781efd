import type { Queue, Worker } from 'bullmq';
import { jobOptions, toJobHandle, type Constructors, type Log, type QueueBackend } from './backend.ts';
import { claimerOf, LOCK_MS } from './claimer.ts';
import { wakeUpsOf } from './wake-ups.ts';
import { payloadSchema, type Delivery, type QueueName } from './catalog.ts';

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
    ping: parts.ping,
    counts: (name) => queueOf(name).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue: queueOf,
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await parts.close();
    },
  };
}
