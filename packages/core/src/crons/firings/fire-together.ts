import { AppError, ID_PREFIXES, toStorableJson } from '@gleaner/contracts';
import { ENGINE, type Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { deliverAdmitted, type AdmittedRow } from '../../runs/deliveries/admitted.ts';
import type { PreparedRun } from '../../runs/submission/prepare-run.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { decideFirings, recordFirings, type DecidedFiring, type Decision, type Firing } from './firing.ts';

/** A firing with its prepared run, or the reason why it has no run. */
export interface PreparedFiring {
  firing: Firing;
  run: PreparedRun | AppError | undefined;
}

/** The results of firings that were decided in one transaction. */
export interface FiredTogether {
  decided: DecidedFiring[];
  /** Call it after the commit: puts work into the queue and removes unused inputs. */
  deliver: () => Promise<void>;
}

/** The text of a refusal in the row of a firing. */
export function describeRefusal(error: AppError): string {
  const { field, members } = error.options;
  const numbers = Object.entries(members ?? {}).map(([name, value]) => `${name} ${value}`);
  return [
    error.message,
    ...(field === undefined ? [] : [`(${field})`]),
    ...(numbers.length === 0 ? [] : [`(${numbers.join(', ')})`]),
  ].join(' ');
}

/**
 * Locks the workflow runs that firings replace, before the account: whoever stores tasks of their stages takes these
 * locks in that order.
 */
async function lockReplaced(tx: Transaction, decisions: Iterable<Decision>): Promise<void> {
  const runs = [...decisions].flatMap(({ unfinished }) => unfinished).filter(isWorkflowRun);
  if (runs.length === 0) return;
  await tx.execute(sql`
    SELECT 1 FROM gleaner.workflow_runs WHERE id IN (SELECT jsonb_array_elements_text(${toStorableJson(runs)}::text::jsonb))
    ORDER BY no FOR NO KEY UPDATE`);
}

function isWorkflowRun(id: string): boolean {
  return id.startsWith(`${ID_PREFIXES.workflowRun}_`);
}

/** Cancels the runs that a firing replaces. Runs that have just ended stay unchanged. */
async function cancelReplaced(
  tx: Transaction,
  accountId: string,
  runs: readonly string[],
): Promise<AdmittedRow[]> {
  const admitted: AdmittedRow[] = [];
  for (const id of runs) {
    const cancelled = isWorkflowRun(id)
      ? sql`SELECT outcome, (delivery).* FROM ${sql.identifier(ENGINE)}.cancel_workflow_run(${accountId}, ${id})`
      : sql`SELECT outcome, (delivery).* FROM ${sql.identifier(ENGINE)}.cancel_run(${accountId}, ${id})`;
    // The columns of an admitted row.
    admitted.push(...((await tx.execute(cancelled)) as unknown as AdmittedRow[]));
  }
  return admitted;
}

const OUTCOMES = { skip: 'skipped', wait: 'queued', refuse: 'failed' } as const;
const REASONS = { skip: 'overlap', wait: 'overlap', refuse: 'the account is not active' } as const;

/**
 * Decides about firings of one account, creates their runs and stores them, in the caller's transaction.
 * @throws AppError insufficient_credits, pending_limit: the transaction must be rolled back
 */
export async function fireTogether(
  { queue, log }: SubmitServices,
  tx: Transaction,
  { accountId, prepared }: { accountId: string; prepared: readonly PreparedFiring[] },
): Promise<FiredTogether> {
  const decisions = await decideFirings(
    tx,
    accountId,
    prepared.map(({ firing }) => firing),
  );
  await lockReplaced(tx, decisions.values());
  const decided: DecidedFiring[] = [];
  const created: PreparedRun[] = [];
  const admitted: AdmittedRow[] = [];
  const start = async ({ firing, run }: PreparedFiring, { unfinished }: Decision): Promise<DecidedFiring> => {
    if (run instanceof AppError) return { ...firing, outcome: 'failed', reason: describeRefusal(run) };
    if (run === undefined) throw new Error('a firing that can start has no run');
    admitted.push(...(await cancelReplaced(tx, accountId, unfinished)));
    const { id } = await run.create(tx);
    created.push(run);
    return { ...firing, outcome: 'started', run: id };
  };
  for (const one of prepared) {
    const decision = decisions.get(one.firing.id);
    if (!decision) continue;
    const { decision: what } = decision;
    // A waiting firing that can't start releases its cron's lease.
    if (what === 'gone') {
      if (one.firing.kind === 'queued') decided.push(one.firing);
      continue;
    }
    if (what === 'start') decided.push(await start(one, decision));
    else if (what === 'miss' || what === 'known') decided.push(one.firing);
    else decided.push({ ...one.firing, outcome: OUTCOMES[what], reason: REASONS[what] });
  }
  await recordFirings(tx, accountId, decided);
  return {
    decided,
    deliver: async () => {
      discardUnused(prepared, created);
      await Promise.all([...created.map((run) => run.deliver()), deliverAdmitted(queue, log, admitted)]);
    },
  };
}

/** Removes the stored inputs of runs that were not created. */
export function discardUnused(
  prepared: readonly PreparedFiring[],
  created: readonly PreparedRun[] = [],
): void {
  for (const { run } of prepared) {
    if (run !== undefined && !(run instanceof AppError) && !created.includes(run)) run.discard();
  }
}
