import type { RefusedInputs } from '@gleaner/contracts';
import type { Transaction } from '@gleaner/db';
import type { AdmittedRow } from '../deliveries/admitted.ts';
import type { NewRun } from './create-run.ts';

/** A run that one short transaction can create. Its inputs are checked, and already stored if there are many. */
export interface PreparedRun {
  id: string;
  /** For `submitRuns`, which creates many in one statement. Undefined for what is more than one row: a workflow run, a source. */
  row?: NewRun;
  /** The inputs that `skipInvalid` left out. Undefined for a workflow run or a source. */
  refused?: RefusedInputs | undefined;
  /**
   * Creates the run with its reservation, in the caller's transaction.
   * @returns what to deliver after the commit; otherwise workers find the run when they look
   * @throws AppError insufficient_credits, pending_limit: the transaction must be rolled back
   */
  create(tx: Transaction): Promise<readonly AdmittedRow[]>;
  /** Removes stored inputs in the background. Only for a run that certainly does not exist. */
  discard(): void;
}
