import { toStorableJson, AppError } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import {
  BUSY,
  createAccountGroups,
  type AccountGroups,
  AccountBusyError,
} from '../../platform/groups/create-account-groups.ts';
import { isLockTimeout, mayBeOneRow } from '../../platform/groups/database-errors.ts';
import { deliverToQueue, sendNotices, type AdmittedRow } from '../deliveries/admitted.ts';
import type { StoredSpec } from '../tasks/sealed-spec.ts';

export interface NewRequest {
  id: string;
  accountId: string;
  /** A slot for work of this process. It starts without a worker. */
  kind: 'task' | 'slot';
  queue: QueueName | 'none';
  /** Credits. */
  price: number;
  timeoutMs: number;
  spec?: StoredSpec;
  /** The state of the parser that was read. If the parser has changed, the request is refused as stale. */
  parser?: { id: string; updatedAt: string };
  /** What its use counts for. */
  origin?: { key: string; parser?: string | undefined; host?: string | undefined };
}

export interface Submission {
  /** queued: it has a slot. waiting: it waits for a slot. The others are refusals. */
  outcome: 'queued' | 'waiting' | 'credits' | 'concurrency' | 'stale';
  /** Credits that were free before it. */
  available: number;
  /** Requests of the account that ran or waited before it. */
  slots: number;
  /** Rank of the request among the account's outstanding ones, from 1. */
  rank: number;
  /** Resolves when a queued task has reached the queue, or rejects when the queue is unavailable. */
  delivered: Promise<void>;
}

type Row = AdmittedRow & {
  place: number | null;
  outcome: Submission['outcome'] | 'busy';
  available: string;
  slots: number;
  rank: number;
};

type SubmitServices = Pick<Services, 'db' | 'queue' | 'log'>;

function selectSubmitted(
  { db }: SubmitServices,
  waiter: string,
  requests: readonly NewRequest[],
  waitMs: number | null,
): Promise<Row[]> {
  const items = requests.map(({ id, accountId, kind, queue, price, timeoutMs, parser, spec, origin }) => ({
    id,
    account: accountId,
    kind,
    queue,
    price,
    timeout_ms: timeoutMs,
    parser: parser?.id,
    parser_read: parser?.updatedAt,
    spec,
    origin,
  }));
  return db.sql<Row[]>`
    SELECT place, outcome, available, slots, rank, (delivery).*
    FROM ${db.sql(ENGINE)}.submit_requests(${toStorableJson(items)}::text::json, ${waiter}, ${waitMs})`;
}

/**
 * Submits requests in groups: one statement and one commit for concurrent requests.
 * @param waiter the process that waits for their results
 */
export function createSubmitter(
  services: SubmitServices,
  waiter: string,
): AccountGroups<NewRequest, Submission> {
  return createAccountGroups<NewRequest, Submission>({
    accountOf: ({ accountId }) => accountId,
    // Schemas that are not saved, bodies and actions may be large; other specs are small.
    sizeOf: ({ spec }) =>
      1_000 +
      (spec?.target.type === 'schema' ? toStorableJson(spec.target.schema).length : 0) +
      (spec?.config.sealed?.length ?? 0),
    mayBeOneItem: mayBeOneRow,
    run: async (requests, waitMs) => {
      let rows: Row[];
      try {
        rows = await selectSubmitted(services, waiter, requests, waitMs);
      } catch (error) {
        if (isLockTimeout(error)) return requests.map(() => BUSY);
        throw error;
      }
      const placed: (Row | undefined)[] = requests.map(() => undefined);
      for (const row of rows) if (row.place !== null) placed[row.place - 1] = row;
      sendNotices(services.queue, rows);
      const delivered = deliverToQueue(services.queue, rows);
      // Each request handles the result itself.
      delivered.catch(() => undefined);
      return placed.map((row) => {
        if (row === undefined || row.outcome === 'busy') return BUSY;
        const { outcome, available, slots, rank } = row;
        return { outcome, available: Number(available), slots, rank, delivered };
      });
    },
  });
}

/** The parser changed after it was read. */
export class StaleParserError extends Error {
  constructor() {
    super('the parser changed after it was read');
    this.name = 'StaleParserError';
  }
}

type Refused = Exclude<Submission['outcome'], 'queued' | 'waiting'>;

function toRefusal(outcome: Refused, { available, slots }: Submission, price: number): Error {
  switch (outcome) {
    case 'stale':
      return new StaleParserError();
    case 'credits':
      return new AppError('insufficient_credits', { members: { required: price, available } });
    case 'concurrency':
      return new AppError('concurrency_limit_exceeded', {
        detail: `${slots} requests are executing or wait`,
        retryAfterSeconds: 1,
      });
  }
}

/** @throws AppError for refused work, StaleParserError */
export async function submitOrRefuse(
  { submitter }: { submitter: AccountGroups<NewRequest, Submission> },
  request: NewRequest,
): Promise<Submission & { outcome: 'queued' | 'waiting' }> {
  const submission = await submitter.call(request).catch((error: unknown) => {
    if (!(error instanceof AccountBusyError)) throw error;
    throw new AppError('temporarily_unavailable', {
      detail: 'other work of the account takes too long',
      retryAfterSeconds: 1,
      cause: error,
    });
  });
  const { outcome } = submission;
  if (outcome === 'queued' || outcome === 'waiting') return { ...submission, outcome };
  throw toRefusal(outcome, submission, request.price);
}
