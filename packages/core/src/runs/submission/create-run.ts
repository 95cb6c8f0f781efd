import { AppError, type Sink, toStorableJson, type RunKind } from '@gleaner/contracts';
import { ENGINE, errorCodeOf, PG_ERRORS, type Database, type Transaction } from '@gleaner/db';
import type { QueueName } from '@gleaner/queue';
import { sql } from 'drizzle-orm';
import type { AdmittedRow } from '../deliveries/admitted.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import { sealConfig } from '../../platform/secrets/sealed-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import type { RunAuthor } from './run-origin.ts';

export const DEFAULT_RETRIES = 2;

export interface NewRun {
  id: string;
  /** From `nextRunNumber`; undefined for a number of the time of creation, which needs `inputs`. */
  no: string | undefined;
  accountId: string;
  kind: RunKind;
  name: string | null;
  queue: QueueName;
  target: TaskTarget;
  config: RunConfig;
  /** Encrypts the config's headers and cookies. */
  secretKey?: string | undefined;
  sink: Sink | undefined;
  webhookUrl: string | undefined;
  /** Credits of one success, at the dearest: they are reserved. */
  price: number;
  /** Credits of the cheapest success; undefined: all cost `price`. */
  leastPrice?: number | undefined;
  /** The most credits that the run may charge. */
  maxCredits: number | undefined;
  total: number;
  /** One line per task; undefined when the tasks are already loaded. */
  inputs: readonly string[] | undefined;
  by?: RunAuthor | undefined;
}

/** Returns a number for a new run. Creates the partition of its tasks and results if needed. */
export async function nextRunNumber(db: Database): Promise<string> {
  const [row] = await db.sql<{ no: string }[]>`SELECT ${db.sql(ENGINE)}.next_number()::text AS no`;
  if (!row) throw new Error('next_number returned nothing');
  return row.no;
}

type Priced = Pick<NewRun, 'price' | 'leastPrice' | 'maxCredits'>;

/** `max_credits` without what is never charged: a part of a page, when all pages cost the same. */
export function chargeable({ price, leastPrice = price, maxCredits }: Priced): number | undefined {
  if (maxCredits === undefined || price === 0 || leastPrice < price) return maxCredits;
  return maxCredits - (maxCredits % price);
}

export interface Budget {
  /** Successes that may be charged, at the dearest price. */
  successes: number;
  /** Credits that may be charged; null: the price of all tasks is no more. */
  maxCredits: number | null;
}

/** @throws AppError invalid_request when max_credits pays for no success */
export function readBudget(run: Priced & Pick<NewRun, 'total'>): Budget {
  const { price, maxCredits, total } = run;
  const most = chargeable(run);
  if (most === undefined || most >= price * total) return { successes: total, maxCredits: null };
  const successes = Math.floor(most / price);
  if (successes === 0) {
    throw new AppError('invalid_request', {
      field: 'max_credits',
      detail: `one success costs ${price}, more than max_credits (${maxCredits})`,
    });
  }
  return { successes, maxCredits: most };
}

/** The columns of functions that may refuse work for the account's limits. */
export type Limits = {
  /** Set for the outcome 'credits'. */
  required: string;
  available: string;
  /** Set for 'pending'. */
  unfinished: string;
  pending_limit: string;
};

/** @param what the work, after the number of unfinished tasks */
export function limitRefusal(outcome: string | undefined, row: Limits, what: string): AppError | undefined {
  if (outcome === 'credits') {
    return new AppError('insufficient_credits', {
      members: { required: Number(row.required), available: Number(row.available) },
    });
  }
  if (outcome !== 'pending') return undefined;
  return new AppError('pending_limit', {
    detail: `${row.unfinished} tasks are unfinished${what}`,
    members: { pending: Number(row.unfinished), limit: Number(row.pending_limit), accepted: 0 },
    retryAfterSeconds: 60,
  });
}

/** A row of engine.submit_runs or engine.create_workflow_run. */
export type CreatedRow = AdmittedRow &
  Limits & {
    /** Absent for a workflow run. */
    account?: string;
    outcome: 'created' | 'credits' | 'pending';
  };

/** Converts a lock timeout to an AppError: other calls of the account held its lock for seconds. */
export function asBusy(error: unknown): unknown {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = errorCodeOf(cause);
  if (code !== PG_ERRORS.lockNotAvailable && code !== PG_ERRORS.transactionTimeout) return error;
  return new AppError('temporarily_unavailable', {
    detail: 'too many calls of this account are running',
    retryAfterSeconds: 1,
    cause: error,
  });
}

/** Why no run was created; undefined when it was. */
function readRefusal(row: CreatedRow, total: number): AppError | undefined {
  if (row.outcome === 'pending' && total > Number(row.pending_limit)) {
    return new AppError('invalid_request', {
      field: 'inputs',
      detail: `${total} inputs are more than the account may have unfinished at once: ${row.pending_limit}`,
      hint: 'Split them over several batches, or ask the operator to raise pending_limit.',
    });
  }
  return limitRefusal(row.outcome, row, ` and ${total} would be added`);
}

/**
 * The message of a creation to a worker.
 * @throws AppError insufficient_credits, pending_limit: the transaction must be rolled back
 */
export function requireCreated(rows: readonly CreatedRow[], total: number): readonly AdmittedRow[] {
  const [first] = rows;
  if (!first) throw new Error('the creation of a run returned nothing');
  const refusal = readRefusal(first, total);
  if (refusal) throw refusal;
  return rows;
}

/** A run as SQL's `engine.new_run`. jsonb refuses half of a surrogate pair, so texts are well-formed. */
export function toRunRow(run: NewRun) {
  return {
    id: run.id,
    no: run.no,
    account_id: run.accountId,
    kind: run.kind,
    name: run.name?.toWellFormed(),
    mode: run.sink?.mode ?? 'return',
    queue: run.queue,
    target: run.target,
    config: sealConfig(run.config, run),
    sink: run.sink,
    webhook_url: run.webhookUrl?.toWellFormed(),
    retries: run.config.retries ?? DEFAULT_RETRIES,
    price: run.price,
    max_credits: readBudget(run).maxCredits,
    total: run.total,
    inputs: run.inputs?.join('\n').toWellFormed(),
    key_id: run.by?.keyId,
    cron_id: run.by?.cronId,
  };
}

export interface SubmittedRuns {
  /** What to deliver after the commit. */
  admitted: AdmittedRow[];
  /** Why an account has none of its runs, by its id: insufficient_credits, pending_limit. */
  refused: Map<string, AppError>;
}

/**
 * Creates runs with their reservations and makes the turns of their accounts ready, in the caller's transaction: all runs
 * of an account, or none when together they are refused. It waits for the locks of the accounts, in their order. The
 * transaction must end soon, because Postgres ends a session that is idle for 2 s while it locks an account. Producers of
 * single runs call `submitRun`, which checks and loads the inputs first.
 * @throws AppError temporarily_unavailable: the transaction must be rolled back
 */
export async function submitRuns(tx: Transaction, runs: readonly NewRun[]): Promise<SubmittedRuns> {
  const refused = new Map<string, AppError>();
  if (runs.length === 0) return { admitted: [], refused };
  const found = await tx
    .execute<CreatedRow>(sql`
      SELECT account, outcome, required, available, unfinished, pending_limit, (delivery).*
      FROM ${sql.identifier(ENGINE)}.submit_runs(ARRAY(
        SELECT r FROM jsonb_populate_recordset(
          NULL::${sql.identifier(ENGINE)}.new_run, ${toStorableJson(runs.map(toRunRow))}::text::jsonb) r))`)
    .catch((error: unknown) => {
      throw asBusy(error);
    });
  const admitted: AdmittedRow[] = [];
  for (const row of found) {
    const own = runs.filter((run) => run.accountId === row.account);
    const refusal = readRefusal(
      row,
      own.reduce((sum, { total }) => sum + total, 0),
    );
    if (refusal) refused.set(row.account ?? '', refusal);
    else admitted.push(row);
  }
  return { admitted, refused };
}

/** `submitRuns` of one run. @returns what to deliver after the commit @throws AppError its refusal, and as `submitRuns` */
export async function createRun(tx: Transaction, run: NewRun): Promise<AdmittedRow[]> {
  const { admitted, refused } = await submitRuns(tx, [run]);
  const [refusal] = refused.values();
  if (refusal) throw refusal;
  return admitted;
}
