import { tables, type Transaction } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';

/** A claimed Idempotency-Key. */
export interface IdempotencyClaim {
  accountId: string;
  key: string;
  status: number;
}

/** Stores the answer under its key, in the transaction that creates what it tells of. */
export const recordAnswer = async (
  tx: Transaction,
  claim: IdempotencyClaim,
  answer: unknown,
): Promise<void> => {
  await tx
    .update(tables.idempotencyKeys)
    .set({ status: claim.status, answer: answer ?? {} })
    .where(
      and(eq(tables.idempotencyKeys.accountId, claim.accountId), eq(tables.idempotencyKeys.key, claim.key)),
    );
};
