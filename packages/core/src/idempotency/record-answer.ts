import { tables, type Transaction } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';
import { seal } from '../secrets/seal.ts';

/** A claimed Idempotency-Key. */
export interface IdempotencyClaim {
  accountId: string;
  key: string;
  status: number;
  /** Present when the answer holds a secret: it is stored sealed with this key. */
  secretKey?: string | undefined;
}

/** What an answer is sealed to. */
export const answerPlace = ({ accountId, key }: { accountId: string; key: string }): string =>
  `answer:${accountId}:${key}`;

const toStored = (claim: IdempotencyClaim, answer: unknown): unknown => {
  const { secretKey } = claim;
  if (secretKey === undefined) return answer;
  return seal(JSON.stringify(answer), { secretKey, place: answerPlace(claim) }).toString('base64');
};

/** Stores the answer under its key, in the transaction that creates what it tells of. */
export const recordAnswer = async (
  tx: Transaction,
  claim: IdempotencyClaim,
  answer: unknown,
): Promise<void> => {
  await tx
    .update(tables.idempotencyKeys)
    .set({ status: claim.status, answer: toStored(claim, answer ?? {}) })
    .where(
      and(eq(tables.idempotencyKeys.accountId, claim.accountId), eq(tables.idempotencyKeys.key, claim.key)),
    );
};
