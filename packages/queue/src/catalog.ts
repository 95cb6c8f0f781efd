import { z } from 'zod';
import { ENGINES, QUEUES, type Engine, type QueueName } from '@gleaner/contracts';

export { ENGINES, QUEUES, type Engine, type QueueName };

export function interactiveQueue(engine: Engine): QueueName {
  return `interactive-${engine}`;
}
export function batchQueue(engine: Engine): QueueName {
  return `batch-${engine}`;
}

/** A request in a job. `rank` is 1 for the account's first outstanding request, 2 for its second, … */
const memberSchema = z.object({ id: z.string(), attempt: z.int(), account: z.string(), rank: z.int() });

export type RequestMember = z.output<typeof memberSchema>;

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
    /** Rank of the first request, which is the job's priority. */
    rank: z.int().optional(),
  }),
  /** Several requests, the lowest rank first. */
  z.object({ kind: z.literal('requests'), requests: z.array(memberSchema) }),
  z.object({
    /** Accounts wait for their turn: the worker that claims the job takes chunks, and writes them into it. */
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

/** Whether a later version made the job. */
export function hasUnknownKind(data: { kind?: unknown }): boolean {
  return !payloadSchema.options.some(({ shape }) => shape.kind.value === data.kind);
}

/** One job to put into a queue. Adding the same jobId again while it is there changes nothing. */
export interface Delivery {
  queue: QueueName;
  /** Undefined: a new one. */
  jobId: string | undefined;
  payload: Payload;
  /** 1 comes first. A job without a priority precedes all that have one. */
  priority?: number;
  /** Milliseconds after which it comes up. */
  delayMs?: number;
}

/** BullMQ's largest priority is 2,097,152. */
function toPriority(rank: number): number {
  return Math.min(Math.max(rank, 1), 2_000_000);
}

/** The most requests of a job, so that several workers share what is submitted together. */
const MAX_MEMBERS = 16;

/** Requests of about the same rank share a job, which has the priority of its first one. */
function isOfRank(rank: number, first: number): boolean {
  return rank <= 2 * first + MAX_MEMBERS;
}

/** The content of a job of these requests. @param members not empty, the lowest rank first */
export function groupPayload(members: readonly RequestMember[]): Payload {
  const [first] = members;
  if (first && members.length === 1) return { kind: 'request', ...first };
  return { kind: 'requests', requests: [...members] };
}

/** A new job for these requests. @param members not empty, the lowest rank first */
export function groupDelivery(queue: QueueName, members: readonly RequestMember[], delayMs = 0): Delivery {
  return {
    queue,
    jobId: undefined,
    payload: groupPayload(members),
    priority: toPriority(members[0]?.rank ?? 1),
    ...(delayMs > 0 ? { delayMs } : {}),
  };
}

/**
 * Deliveries of requests in as few jobs as fairness allows. A browser's requests are one a job: a job costs little
 * beside a page in a browser, and each may go to another worker. The first of several deliveries of a request to start wins.
 */
export function requestDeliveries(queue: QueueName, requests: readonly RequestMember[]): Delivery[] {
  const most = queue === interactiveQueue('browser') ? 1 : MAX_MEMBERS;
  const jobs: RequestMember[][] = [];
  for (const request of requests.toSorted((a, b) => a.rank - b.rank)) {
    const last = jobs.at(-1);
    if (last && last.length < most && isOfRank(request.rank, last[0]?.rank ?? 1)) last.push(request);
    else jobs.push([request]);
  }
  return jobs.map((members) => groupDelivery(queue, members));
}

/**
 * Another delivery of a request, which the queue may have lost. The same `times` is the same job: adding it again while it
 * is in the queue changes nothing. A job that a dead worker took stays there until BullMQ notices; a higher number need not
 * wait for that.
 */
export function repeatedDelivery(queue: QueueName, request: RequestMember, times: number): Delivery {
  return { ...groupDelivery(queue, [request]), jobId: `${request.id}-${request.attempt}-${times}` };
}

/** The requests of a job, also of one that an earlier version delivered. */
export function membersOf(payload: Payload): RequestMember[] {
  if (payload.kind === 'requests') return payload.requests;
  if (payload.kind !== 'request') return [];
  const { id, attempt, account = id, rank = 1 } = payload;
  return [{ id, attempt, account, rank }];
}

/** A message to some worker that accounts wait for their turn in a queue of batches. */
export function turnDelivery(queue: QueueName): Delivery {
  return { queue, jobId: undefined, payload: { kind: 'turn' } };
}
