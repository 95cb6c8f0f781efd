import { AppError } from '@gleaner/contracts';
import type { Transaction } from '@gleaner/db';
import { prepareRun, type PreparedRun, type SubmittedRun } from './prepare-run.ts';
import type { SubmitServices } from './run-services.ts';
import type { RunSubmission } from './run-submission.ts';

/** Creates the prepared run in a transaction. */
export type CreateInTransaction = (tx: Transaction) => Promise<SubmittedRun>;

/**
 * Runs a transaction that calls `create` at most once, and resolves after its commit. It may also decide against the
 * run by not calling `create`. It throws an AppError only when nothing was committed.
 */
export type RunTransaction<T> = (create: CreateInTransaction) => Promise<T>;

/** Creates a prepared run in a transaction, then calls a worker, or removes its stored inputs. */
export async function submitPrepared<T>(run: PreparedRun, transact: RunTransaction<T>): Promise<T> {
  let hasBegun = false;
  const create: CreateInTransaction = (tx) => {
    hasBegun = true;
    return run.create(tx);
  };
  let result: T;
  try {
    result = await transact(create);
  } catch (error) {
    // Only a refusal proves a rollback. After another error the run may exist, because the commit's answer may be lost.
    if (!hasBegun || error instanceof AppError) run.discard();
    throw error;
  }
  if (hasBegun) await run.deliver();
  else run.discard();
  return result;
}

/**
 * Creates a run of any origin: checks and loads its inputs, then creates the run and its reservation in
 * one transaction, and calls a worker.
 *
 * With `transact`, the caller's transaction is used, so that the caller's own rows commit with the run. It begins after
 * the inputs are loaded, and is short. A caller that creates several runs in one transaction uses `prepareRun`.
 * @throws AppError not_found (target, sink.database), invalid_request, insufficient_credits, pending_limit,
 * temporarily_unavailable (the sink's server)
 */
export async function submitRun(services: SubmitServices, submission: RunSubmission): Promise<SubmittedRun>;
export async function submitRun<T>(
  services: SubmitServices,
  submission: RunSubmission,
  transact: RunTransaction<T>,
): Promise<T>;
export async function submitRun<T>(
  services: SubmitServices,
  submission: RunSubmission,
  transact?: RunTransaction<T>,
): Promise<T | SubmittedRun> {
  const run = await prepareRun(services, submission);
  const { db } = services;
  return submitPrepared<T | SubmittedRun>(
    run,
    transact ?? ((create) => db.inTurn(submission.accountId, () => db.transact(create))),
  );
}
