import { AppError } from '@gleaner/contracts';
import { tables, type Transaction } from '@gleaner/db';
import { and, eq, isNull } from 'drizzle-orm';
import { seal } from '../secrets/seal.ts';

/** A claimed Idempotency-Key. */
export interface IdempotencyClaim {
  accountId: string;
  key: string;
  status: number;
  /** When it was claimed. Distinguishes this claim from one that took it over. */
  claimedAt: string;
  /** The parts of an upload that were read. */
  uploadDigest?: (() => Buffer) | undefined;
  /** Present when the answer contains a secret. The stored answer is sealed with this key. */
  secretKey?: string | undefined;
}

/** The context to which an answer is sealed. */
export function answerPlace({ accountId, key }: { accountId: string; key: string }): string {
  return `answer:${accountId}:${key}`;
}

function toStored(claim: IdempotencyClaim, answer: unknown): unknown {
  const { secretKey } = claim;
  if (secretKey === undefined) return answer;
  return seal(JSON.stringify(answer), { secretKey, place: answerPlace(claim) }).toString('base64');
}

/**
 * Stores the answer under its key, in the transaction that creates the resource.
 * @throws AppError idempotency_conflict when another process took the claim over; nothing may be created then
 */
export async function recordAnswer(tx: Transaction, claim: IdempotencyClaim, answer: unknown): Promise<void> {
  const { idempotencyKeys } = tables;
  const recorded = await tx
    .update(idempotencyKeys)
    .set({
      status: claim.status,
      answer: toStored(claim, answer ?? {}),
      uploadDigest: claim.uploadDigest?.() ?? null,
    })
    .where(ownedBy(claim))
    .returning({ key: idempotencyKeys.key });
  if (recorded.length === 0) {
    throw new AppError('idempotency_conflict', {
      field: 'Idempotency-Key',
      detail: 'another request with this key was processed first',
      retryAfterSeconds: 1,
    });
  }
}

/** The claim's row, while the claim is valid and its request runs. */
export function ownedBy({ accountId, key, claimedAt }: IdempotencyClaim) {
  const { idempotencyKeys } = tables;
  return and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.key, key),
    eq(idempotencyKeys.createdAt, claimedAt),
    isNull(idempotencyKeys.status),
  );
}
