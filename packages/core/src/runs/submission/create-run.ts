import { AppError, type ScrapeConfig, type Sink } from '@gleaner/contracts';
import type { Database, Transaction } from '@gleaner/db';
import type { QueueName } from '@gleaner/queue';
import { sql } from 'drizzle-orm';
import { errorCode } from '../../storage/databases/external-databases.ts';
import type { AdmittedRow } from '../deliveries/admitted.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import type { RunKind } from './run-origin.ts';

const DEFAULT_RETRIES = 2;

export interface NewRun {
  id: string;
  /** From `nextRunNumber`. */
  no: string;
  accountId: string;
  kind: RunKind;
  name: string | null;
  queue: QueueName;
  target: TaskTarget;
  config: ScrapeConfig;
  sink: Sink | undefined;
  webhookUrl: string | undefined;
  /** Credits of one success. */
  price: number;
  /** Most credits that the run may ever charge. */
  maxCredits: number | undefined;
  total: number;
  /** One line per task; undefined when the tasks are loaded already. */
  inputs: readonly string[] | undefined;
}

/** A number for a new run. Makes the partition of the run's tasks and results if it does not exist. */
export async function nextRunNumber(db: Database): Promise<string> {
  const [row] = await db.sql<{ no: string }[]>`SELECT engine.next_number()::text AS no`;
  if (!row) throw new Error('next_number returned nothing');
  return row.no;
}

/** How many successes may be charged. @throws AppError invalid_request when max_credits pays for none */
export function readBudget(run: Pick<NewRun, 'price' | 'maxCredits' | 'total'>): number {
  const { price, maxCredits, total } = run;
  if (maxCredits === undefined || price === 0) return total;
  const budget = Math.min(total, Math.floor(maxCredits / price));
  if (budget === 0 && total > 0) {
    throw new AppError('invalid_request', {
      field: 'max_credits',
      detail: `one success costs ${price}, more than max_credits (${maxCredits})`,
    });
  }
  return budget;
}

type CreatedRow = AdmittedRow & {
  outcome: 'created' | 'credits' | 'pending';
  /** Set for 'credits'. */
  required: string;
  available: string;
  /** Set for 'pending'. */
  unfinished: string;
  pending_limit: string;
};

// The columns selected from engine.create_run.
function asCreatedRows(rows: unknown): CreatedRow[] {
  return rows as CreatedRow[];
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Other calls of the account kept it for seconds. */
function asBusy(error: unknown): unknown {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (errorCode(cause) !== LOCK_NOT_AVAILABLE) return error;
  return new AppError('temporarily_unavailable', {
    detail: 'too many calls of this account are under way',
    retryAfterSeconds: 1,
    cause: error,
  });
}

/**
 * Creates a run with its reservation and admits its first chunks, in the caller's transaction. Producers call
 * `submitRun`, which checks and loads the inputs first.
 * @returns the chunks to deliver after the commit
 * The transaction must end soon: Postgres ends a session that does nothing for 2 s while it holds the account.
 * @throws AppError insufficient_credits, pending_limit, temporarily_unavailable: the transaction must be rolled back
 */
export async function createRun(tx: Transaction, run: NewRun): Promise<AdmittedRow[]> {
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  const rows = asCreatedRows(
    await tx
      .execute(sql`
      SELECT outcome, required, available, unfinished, pending_limit, (delivery).* FROM engine.create_run(
        p_id => ${run.id}, p_no => ${run.no}::bigint, p_account => ${run.accountId}, p_kind => ${run.kind},
        p_name => ${run.name}, p_mode => ${run.sink?.mode ?? 'return'}, p_queue => ${run.queue},
        p_target => ${json(run.target)}::jsonb, p_config => ${json(run.config)}::jsonb,
        p_sink => ${json(run.sink)}::jsonb, p_webhook_url => ${run.webhookUrl ?? null},
        p_retries => ${run.config.retries ?? DEFAULT_RETRIES}, p_price => ${run.price},
        p_budget => ${readBudget(run)}, p_total => ${run.total}, p_inputs => ${run.inputs?.join('\n') ?? null})`)
      .catch((error: unknown) => {
        throw asBusy(error);
      }),
  );
  const [first] = rows;
  if (first?.outcome === 'credits') {
    throw new AppError('insufficient_credits', {
      members: { required: Number(first.required), available: Number(first.available) },
    });
  }
  if (first?.outcome === 'pending' && run.total > Number(first.pending_limit)) {
    throw new AppError('invalid_request', {
      field: 'inputs',
      detail: `${run.total} inputs are more than the account may have unfinished at once: ${first.pending_limit}`,
      hint: 'Split them over several batches, or ask the operator to raise pending_limit.',
    });
  }
  if (first?.outcome === 'pending') {
    throw new AppError('pending_limit', {
      detail: `${first.unfinished} tasks are unfinished and ${run.total} would be added`,
      members: { pending: Number(first.unfinished), limit: Number(first.pending_limit), accepted: 0 },
      retryAfterSeconds: 60,
    });
  }
  if (first?.outcome !== 'created') throw new Error('create_run returned nothing');
  return rows;
}
