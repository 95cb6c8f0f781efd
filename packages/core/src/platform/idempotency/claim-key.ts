import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@gleaner/contracts';
import { tables, type Database, type Transaction } from '@gleaner/db';
import { and, eq, lte, sql, isNull } from 'drizzle-orm';
import { unseal, seal } from '../secrets/seal.ts';

/** A claim expires after this time. A live process renews its claim. */
const LEASE_SECONDS = 8;
export const RENEW_CLAIM_MS = 2_000;
/** How long a second request waits for the first one's answer. */
const WAIT_MS = 120_000;
/** Pauses between checks of the first request. They grow, because a client may have many waiting requests. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

const { idempotencyKeys } = tables;

export interface IdempotentRequest {
  accountId: string;
  /** Value of the Idempotency-Key header. */
  key: string;
  operation: string;
  /** The parts that identify the request: path parameters, query, body. */
  content: unknown;
  /** The parts of an upload, hashed as far as they were read. */
  uploadDigest?: () => Buffer;
  /** Status of the operation's success. */
  status: number;
  signal: AbortSignal;
  /** Set when the answer contains a secret. The stored answer is sealed with this key. */
  secretKey?: string | undefined;
}

export type KeyClaim =
  | { kind: 'claimed'; claim: IdempotencyClaim }
  | { kind: 'replay'; status: number; answer: unknown; uploadDigest: Uint8Array | null };

/** The key was used with another request. */
export function idempotencyConflict(): AppError {
  return new AppError('idempotency_conflict', {
    field: 'Idempotency-Key',
    detail: 'this key was used for another request in the last 24 hours',
  });
}

function readAnswer(stored: unknown, request: IdempotentRequest): unknown {
  const { secretKey } = request;
  if (secretKey === undefined || typeof stored !== 'string') return stored;
  const sealed = Buffer.from(stored, 'base64');
  return JSON.parse(unseal(sealed, { secretKey, place: answerPlace(request) })) as unknown;
}

/**
 * Claims a key for a creating request, or returns the answer of the first request. A concurrent second request waits for
 * the first.
 * @throws AppError idempotency_conflict when the key was used for another request
 */
export async function claimIdempotencyKey(db: Database, request: IdempotentRequest): Promise<KeyClaim> {
  const { accountId, key, operation, status } = request;
  const digest = createHash('sha256')
    .update(`${operation}\n${JSON.stringify(request.content)}`)
    .digest();
  const leaseUntil = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;
  const { secretKey } = request;
  const waitUntil = Date.now() + WAIT_MS;
  const ours = and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key));
  const isFree = sql<boolean>`${idempotencyKeys.createdAt} < now() - interval '24 hours'
    OR (${idempotencyKeys.status} IS NULL AND ${idempotencyKeys.leaseUntil} <= now())`;
  let pauseMs = FIRST_PAUSE_MS;

  const claim = async (): Promise<IdempotencyClaim | undefined> => {
    const [mine] = await db.orm
      .insert(idempotencyKeys)
      .values({ accountId, key, operation, requestDigest: digest, leaseUntil })
      .onConflictDoUpdate({
        target: [idempotencyKeys.accountId, idempotencyKeys.key],
        set: {
          operation,
          requestDigest: digest,
          leaseUntil,
          status: null,
          answer: null,
          uploadDigest: null,
          createdAt: sql`now()`,
        },
        setWhere: isFree,
      })
      .returning({ claimedAt: idempotencyKeys.createdAt });
    const { uploadDigest } = request;
    return mine && { accountId, key, status, secretKey, uploadDigest, claimedAt: mine.claimedAt };
  };

  for (let mayClaim = true; ;) {
    const mine = mayClaim ? await claim() : undefined;
    if (mine) return { kind: 'claimed', claim: mine };
    const [found] = await db.orm.select({ known: idempotencyKeys, isFree }).from(idempotencyKeys).where(ours);
    mayClaim = found?.isFree ?? true;
    if (!found || mayClaim) continue;
    const { known } = found;
    if (!known.requestDigest.equals(digest)) throw idempotencyConflict();
    if (known.status !== null) {
      const answer = readAnswer(known.answer, request);
      return { kind: 'replay', status: known.status, answer, uploadDigest: known.uploadDigest };
    }
    if (Date.now() > waitUntil)
      throw new AppError('idempotency_conflict', {
        field: 'Idempotency-Key',
        detail: 'the first request with this key is still running',
        hint: 'Try again later with the same key.',
        retryAfterSeconds: 5,
      });
    await delay(pauseMs, undefined, { signal: request.signal });
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5);
  }
}

/** Renews a claim while its request runs. */
export async function renewIdempotencyKey(db: Database, claim: IdempotencyClaim): Promise<void> {
  await db.orm
    .update(idempotencyKeys)
    .set({ leaseUntil: sql`now() + ${LEASE_SECONDS} * interval '1 second'` })
    .where(ownedBy(claim));
}

/** Frees the key of a request that created nothing, so that the request can be repeated. */
export async function releaseIdempotencyKey(db: Database, claim: IdempotencyClaim): Promise<void> {
  await db.orm.delete(idempotencyKeys).where(ownedBy(claim));
}

/** Deletes keys after 24 hours. */
export async function sweepIdempotencyKeys(db: Database): Promise<void> {
  await db.orm
    .delete(idempotencyKeys)
    .where(lte(idempotencyKeys.createdAt, sql`now() - interval '24 hours'`));
}

/** A claimed Idempotency-Key. */
export interface IdempotencyClaim extends Pick<
  IdempotentRequest,
  'accountId' | 'key' | 'status' | 'uploadDigest' | 'secretKey'
> {
  /** When it was claimed. Distinguishes this claim from one that took it over. */
  claimedAt: string;
}

/** The context to which an answer is sealed. */
function answerPlace({ accountId, key }: { accountId: string; key: string }): string {
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
  const recorded = await tx
    .update(idempotencyKeys)
    .set({
      status: claim.status,
      answer: toStored(claim, answer ?? {}),
      uploadDigest: claim.uploadDigest?.() ?? null,
    })
    .where(ownedBy(claim))
    .returning({ key: idempotencyKeys.key });
  if (recorded.length === 0)
    throw new AppError('idempotency_conflict', {
      field: 'Idempotency-Key',
      detail: 'another request with this key was processed first',
      retryAfterSeconds: 1,
    });
}

/** The claim's row, while the claim is valid and its request runs. */
function ownedBy({ accountId, key, claimedAt }: IdempotencyClaim) {
  return and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.key, key),
    eq(idempotencyKeys.createdAt, claimedAt),
    isNull(idempotencyKeys.status),
  );
}
