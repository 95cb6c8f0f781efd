import { toStorableJson } from '@gleaner/contracts';
import { ENGINE, type Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import type { AdmittedRow } from '../deliveries/admitted.ts';
import { asBusy, requireCreated, type CreatedRow } from './create-run.ts';

/** The arguments of `engine.create_workflow_run`. */
export interface NewRoot {
  accountId: string;
  root: object;
  stages: readonly object[];
  /** The first stage's, as in `engine.new_run`. */
  maxCredits: number | null;
  total: number;
  inputs: string | null;
}

/**
 * Creates a root with its stages in the caller's transaction.
 * @returns what to deliver after the commit
 * @throws AppError insufficient_credits, pending_limit, temporarily_unavailable
 */
export async function createRoot(tx: Transaction, made: NewRoot): Promise<readonly AdmittedRow[]> {
  const { accountId, root, stages, maxCredits, total, inputs } = made;
  const rows = await tx
    .execute<CreatedRow>(sql`
      SELECT outcome, required, available, unfinished, pending_limit, (delivery).* FROM ${sql.identifier(ENGINE)}.create_workflow_run(
        p_account => ${accountId}, p_root => ${toStorableJson(root)}::jsonb, p_stages => ${toStorableJson(stages)}::jsonb,
        p_max_credits => ${maxCredits}, p_total => ${total}, p_inputs => ${inputs})`)
    .catch((error: unknown) => {
      throw asBusy(error);
    });
  return requireCreated(rows, total);
}
