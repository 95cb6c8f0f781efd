import { z } from 'zod';

/** The client that fetches the page: plain HTTP or a browser. A worker process serves one or both. */
export const ENGINES = ['http', 'browser'] as const;
export type Engine = (typeof ENGINES)[number];

/** Interactive work has separate queues and workers, so that no batch can delay it. */
export const QUEUES = [
  'interactive-http',
  'interactive-browser',
  'batch-http',
  'batch-browser',
  /** Wake-ups of crons, one job scheduler per enabled cron. Schedulers consume it. */
  'crons',
] as const;
export type QueueName = (typeof QUEUES)[number];

export function interactiveQueue(engine: Engine): QueueName {
  return `interactive-${engine}`;
}
export function batchQueue(engine: Engine): QueueName {
  return `batch-${engine}`;
}

/**
 * The content of a BullMQ job: ids only, never URLs, keys or bodies. A new field is optional until the old jobs have
 * drained. `attempt` is the fence: a delivery of an older attempt starts nothing.
 */
export const payloadSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('request'),
    id: z.string(),
    attempt: z.int(),
    /** Workers share their interactive slots among accounts by it. */
    account: z.string().optional(),
  }),
  z.object({
    /** Accounts wait for their turn: whoever claims the job takes chunks, and writes them into it. */
    kind: z.literal('turn'),
    worker: z.string().optional(),
    /** Shown in Bull Board: the chunks that the worker runs, the latest last. */
    chunks: z.array(z.object({ account: z.string(), run: z.string(), range: z.string() })).optional(),
  }),
  z.object({
    kind: z.literal('cron'),
    id: z.string(),
    /** For people who look at Bull Board. */
    account: z.string().optional(),
    name: z.string().optional(),
  }),
  /** Proves that somebody consumes the queue. */
  z.object({ kind: z.literal('canary') }),
]);

export type Payload = z.output<typeof payloadSchema>;

/** One job to put into a queue. Adding the same jobId again while it is there changes nothing. */
export interface Delivery {
  queue: QueueName;
  /** Undefined: a new one. */
  jobId: string | undefined;
  payload: Payload;
  /** 1 comes first. A job without a priority precedes all that have one. */
  priority?: number;
}

/** BullMQ's largest priority is 2,097,152. */
function toPriority(rank: number): number {
  return Math.min(Math.max(rank, 1), 2_000_000);
}

/** The first delivery's job id has none. */
function repeatSuffix(deliveries: number): string {
  return deliveries > 1 ? `-${deliveries}` : '';
}

/**
 * The delivery of a request's attempt. The first of several deliveries to start wins.
 * @param request `rank` is 1 for the account's first outstanding request, 2 for its second, …; `deliveries` is 1 for the
 *   first. The same number is the same job: adding it again while it is in the queue changes nothing. A job that a dead
 *   worker took stays there until BullMQ notices; a delivery with a higher number need not wait for that.
 */
export function requestDelivery(
  queue: QueueName,
  request: { id: string; attempt: number; account: string; rank: number; deliveries?: number },
): Delivery {
  const { id, attempt, account, rank, deliveries = 1 } = request;
  return {
    queue,
    jobId: `${id}-${attempt}${repeatSuffix(deliveries)}`,
    payload: { kind: 'request', id, attempt, account },
    priority: toPriority(rank),
  };
}

/** A message to some worker that accounts wait for their turn in a queue of batches. */
export function turnDelivery(queue: QueueName): Delivery {
  return { queue, jobId: undefined, payload: { kind: 'turn' } };
}
