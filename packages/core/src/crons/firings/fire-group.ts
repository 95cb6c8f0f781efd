import { AppError, toStorableJson, withTimeout, type FiringRecord } from '@gleaner/contracts';
import { ENGINE, type Transaction, type Database } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { deliverAdmitted, type AdmittedRow } from '../../runs/deliveries/admitted.ts';
import { submitRuns } from '../../runs/submission/create-run.ts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { cronRun, readWork, type CronRow } from '../cron-submission.ts';

/** A firing to decide about. Times are ISO 8601. */
export interface Firing {
  id: string;
  cron: string;
  account: string;
  /** The cron's, from which the run was prepared. */
  definition: number;
  /** due: claimed from the schedule; queued: the row `id` waits; trigger: requested by the account. */
  kind: 'due' | 'queued' | 'trigger';
  cause: FiringRecord['cause'];
  /** The due time to fire; null when it was missed. */
  at: string | null;
  /** kind due: the due time that the table had when it was claimed. */
  claimed?: string;
  /** kind due: the due time after now. */
  next?: string | null;
  missed?: { id: string; at: string; reason: string }[];
}

/** The decision of `engine.decide_firings`. */
export type Decision = {
  id: string;
  decision: 'start' | 'skip' | 'wait' | 'miss' | 'refuse' | 'known' | 'locked' | 'gone';
  /** Runs that this firing replaces. */
  unfinished: string[];
};

/** A decided firing as `engine.record_firings` stores it. Without an outcome only the cron's next due time is stored. */
interface DecidedFiring extends Firing {
  outcome?: FiringRecord['outcome'];
  reason?: string;
  run?: string;
}

/** SQL's `engine.firing[]`. */
function firingRows(firings: readonly DecidedFiring[]) {
  const rows = toStorableJson(firings);
  return sql`ARRAY(SELECT f FROM jsonb_populate_recordset(NULL::${sql.identifier(ENGINE)}.firing, ${rows}::text::jsonb) f)`;
}

/** Locks the crons, and decides. @param waits for crons that somebody else holds */
async function decideFirings(
  tx: Transaction,
  firings: readonly Firing[],
  waits: boolean,
): Promise<Map<string, Decision>> {
  const rows = await tx.execute<Decision>(
    sql`SELECT * FROM ${sql.identifier(ENGINE)}.decide_firings(${firingRows(firings)}, ${waits})`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores decided firings in the transaction that decided them. */
async function recordFirings(tx: Transaction, firings: readonly DecidedFiring[]): Promise<void> {
  if (firings.length === 0) return;
  await tx.execute(sql`SELECT ${sql.identifier(ENGINE)}.record_firings(${firingRows(firings)})`);
}

/** The most crons of one statement: ten thousand runs that end together are no burst of work for Postgres. */
const TOGETHER = 500;

/** Finds ended runs of firings. Consecutive failures pause their cron. */
export async function settleFirings({ sql }: Pick<Database, 'sql'>, together = TOGETHER): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: number }[]>`SELECT ${sql(ENGINE)}.settle_firings(${together}) AS count`;
    if ((row?.count ?? 0) < together) return;
  }
}

/** A firing with its prepared run, or the reason why it has none. */
export interface PreparedFiring {
  firing: Firing;
  run: PreparedRun | AppError;
}

/** For one account: how long to wait for its lock, and whether for the crons' as well. Null: of several, and for no lock. */
type GroupWait = { ms: number; forCrons?: boolean } | null;

interface Starting {
  one: PreparedFiring;
  run: PreparedRun;
  /** Runs that it replaces. */
  unfinished: readonly string[];
}

/** The text of a refusal in the row of a firing. */
function describeRefusal(error: AppError): string {
  const { field, members } = error.options;
  const numbers = Object.entries(members ?? {}).map(([name, value]) => `${name} ${value}`);
  return [
    error.message,
    ...(field === undefined ? [] : [`(${field})`]),
    ...(numbers.length === 0 ? [] : [`(${numbers.join(', ')})`]),
  ].join(' ');
}

/** A list of texts in a statement. */
function texts(list: readonly string[]) {
  return sql`ARRAY(SELECT jsonb_array_elements_text(${toStorableJson(list)}::text::jsonb))`;
}

/**
 * Locks the accounts of firings. The workflow runs that they replace are locked before: whoever stores tasks of their
 * stages takes these locks in that order.
 * @returns those that start now
 */
async function lockAccounts(
  tx: Transaction,
  starting: readonly Starting[],
  wait: GroupWait,
): Promise<Starting[]> {
  if (starting.length === 0) return [];
  const replaced = starting.flatMap(({ unfinished }) => unfinished);
  if (replaced.length > 0)
    await tx.execute(sql`
      SELECT 1 FROM gleaner.workflow_runs WHERE no IN (
        SELECT coalesce(root_no, no) FROM gleaner.runs WHERE id = ANY (${texts(replaced)})) ORDER BY no FOR NO KEY UPDATE`);
  const accounts = texts(starting.map(({ one }) => one.firing.account));
  const rows = await tx.execute<{ id: string }>(sql`
    SELECT unnest(${sql.identifier(ENGINE)}.lock_accounts(${accounts}, ${wait?.ms ?? null}::int)) AS id`);
  const locked = new Set(rows.map(({ id }) => id));
  return starting.filter(({ one }) => locked.has(one.firing.account));
}

/** Cancels the runs that a firing replaces. Runs that have just ended stay unchanged. */
async function cancelReplaced(tx: Transaction, { one, unfinished }: Starting): Promise<AdmittedRow[]> {
  const admitted: AdmittedRow[] = [];
  for (const id of unfinished) {
    const rows = await tx.execute<AdmittedRow>(
      sql`SELECT (delivery).* FROM ${sql.identifier(ENGINE)}.cancel_run(${one.firing.account}, ${id})`,
    );
    admitted.push(...rows);
  }
  return admitted;
}

const GONE = { decision: 'gone', unfinished: [] } as const;
const REFUSALS = {
  skip: { outcome: 'skipped', reason: 'overlap' },
  wait: { outcome: 'queued', reason: 'overlap' },
  refuse: { outcome: 'failed', reason: 'the account is not active' },
} as const;

/** What a decision makes of a firing that does not start; undefined when nothing is to be stored. */
function settle({ firing, run }: PreparedFiring, decision: Decision['decision']): DecidedFiring | undefined {
  if (decision === 'start')
    return run instanceof AppError
      ? { ...firing, outcome: 'failed', reason: describeRefusal(run) }
      : undefined;
  // A waiting firing that can't start releases its cron's lease.
  if (decision === 'gone') return firing.kind === 'queued' ? firing : undefined;
  if (decision === 'miss' || decision === 'known') return firing;
  return decision === 'locked' ? undefined : { ...firing, ...REFUSALS[decision] };
}

/**
 * Decides about firings, creates their runs and stores them, in the caller's transaction. A group of several accounts
 * waits for no lock, and leaves accounts that are refused, workflows and what replaces runs to their account's own.
 * @param wait null for a group of several accounts
 * @returns what was decided; those that are still due (somebody else holds their cron or account, or they must be tried by
 * their account alone); what to call after the commit: it puts work into the queue and removes unused inputs
 * @throws AppError insufficient_credits, pending_limit, and what creates a workflow run: the transaction must be rolled back
 */
export async function fireGroup(
  { queue, log }: SubmitServices,
  tx: Transaction,
  { prepared, wait }: { prepared: readonly PreparedFiring[]; wait: GroupWait },
): Promise<{ decided: DecidedFiring[]; left: PreparedFiring[]; deliver: () => Promise<void> }> {
  const firings = prepared.map(({ firing }) => firing);
  const decisions = await decideFirings(tx, firings, wait?.forCrons === true);
  const decided: DecidedFiring[] = [];
  const starting: Starting[] = [];
  const left = new Set<PreparedFiring>();
  for (const one of prepared) {
    const { decision, unfinished } = decisions.get(one.firing.id) ?? GONE;
    const settled = settle(one, decision);
    if (settled) decided.push(settled);
    else if (decision === 'locked') left.add(one);
    else if (decision === 'start' && !(one.run instanceof AppError))
      starting.push({ one, run: one.run, unfinished });
  }
  const together = starting.filter(({ run, unfinished }) => wait || (run.row && unfinished.length === 0));
  const locked = await lockAccounts(tx, together, wait);
  const admitted: AdmittedRow[] = [];
  for (const one of locked) admitted.push(...(await cancelReplaced(tx, one)));
  const created = await submitRuns(
    tx,
    locked.flatMap(({ run }) => run.row ?? []),
  );
  const [refusal] = created.refused.values();
  if (wait && refusal) throw refusal;
  admitted.push(...created.admitted);
  const started = new Set<PreparedRun>();
  for (const { one, run } of locked) {
    if (created.refused.has(one.firing.account)) continue;
    if (!run.row) admitted.push(...(await run.create(tx)));
    const { id } = run;
    started.add(run);
    decided.push({ ...one.firing, outcome: 'started', run: id });
  }
  for (const { one, run } of starting) if (!started.has(run)) left.add(one);
  await recordFirings(tx, decided);
  return {
    decided,
    left: [...left],
    deliver: async () => {
      for (const one of prepared) {
        if (!(one.run instanceof AppError) && !left.has(one) && !started.has(one.run)) one.run.discard();
      }
      await deliverAdmitted(queue, log, admitted);
    },
  };
}

/** The slowest part is the sink's server, which the account chose. */
const PREPARE_WITHIN_MS = 20_000;

/**
 * Prepares the run of a cron: reads its inputs and tests its sink, without any lock. A refusal is a result, not an error;
 * `temporarily_unavailable` at the time limit, after which a late result is discarded.
 */
export async function prepareCron(
  services: SubmitServices,
  row: CronRow,
  withinMs = PREPARE_WITHIN_MS,
): Promise<PreparedRun | AppError> {
  try {
    const preparing = cronRun(services, row.accountId, {
      work: readWork(services, row),
      cron: row,
    }).prepare();
    return await withTimeout(preparing, withinMs, () => {
      preparing.then(
        (run) => run.discard(),
        () => undefined,
      );
      return new AppError('temporarily_unavailable', {
        field: 'sink',
        detail: `the sink did not respond within ${withinMs / 1_000} s`,
      });
    });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
