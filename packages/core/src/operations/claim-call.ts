import { AppError, type Operation } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import {
  claimIdempotencyKey,
  idempotencyConflict,
  releaseIdempotencyKey,
  RENEW_CLAIM_MS,
  renewIdempotencyKey,
} from '../platform/idempotency/claim-key.ts';
import { hashParts, type HashedParts } from '../platform/idempotency/hash-parts.ts';
import type { ParsedInput } from './operation-entry.ts';

const MAX_KEY_CHARACTERS = 255;

/**
 * Claims the Idempotency-Key of a call that creates. Afterwards the context holds the claim, and the input's upload is
 * hashed while it is read. Does nothing for other calls and calls without a key.
 * @returns the answer of an earlier call with this key, if there is one
 * @throws AppError invalid_request for a key of the wrong length, idempotency_conflict
 */
export async function claimCall(
  ctx: Context,
  operation: Operation,
  input: ParsedInput,
  key: string | undefined,
): Promise<{ status: number; answer: unknown } | undefined> {
  if (operation.creates !== true || key === undefined) return undefined;
  if (key === '' || key.length > MAX_KEY_CHARACTERS) {
    throw new AppError('invalid_request', {
      field: 'Idempotency-Key',
      detail: `must have 1 to ${MAX_KEY_CHARACTERS} characters`,
    });
  }
  const { params, query, body, upload } = input;
  const hashed = upload === undefined ? undefined : hashParts(upload);
  if (hashed) input.upload = hashed.parts;
  const claimed = await claimIdempotencyKey(ctx.services.db, {
    accountId: ctx.accountId,
    key,
    operation: operation.id,
    content: { params, query, body },
    ...(hashed === undefined ? {} : { uploadDigest: hashed.digest }),
    status: operation.answer.status,
    signal: ctx.signal,
    ...(operation.showsSecret === true ? { secretKey: ctx.services.config.secretKey } : {}),
  });
  if (claimed.kind === 'replay') {
    if (hashed) await requireSameUpload(hashed, claimed.uploadDigest);
    return { status: claimed.status, answer: claimed.answer };
  }
  ctx.idempotency = claimed.claim;
  return undefined;
}

async function requireSameUpload(upload: HashedParts, first: Uint8Array | null): Promise<void> {
  await upload.drain();
  if (first === null || !upload.digest().equals(first)) throw idempotencyConflict();
}

/**
 * Renews the context's claim, if any, until the returned function is called. That function also frees the key of a call
 * that failed or created nothing, and keeps a recorded answer. It never rejects: a claim that is no longer renewed
 * expires.
 */
export function keepClaim({ services, idempotency }: Context): () => Promise<void> {
  if (idempotency === undefined) return () => Promise.resolve();
  const { db, log } = services;
  const renewal = setInterval(() => {
    renewIdempotencyKey(db, idempotency).catch((error: unknown) =>
      log.warn({ err: error }, 'could not renew an idempotency key'),
    );
  }, RENEW_CLAIM_MS);
  return async () => {
    clearInterval(renewal);
    await releaseIdempotencyKey(db, idempotency).catch((error: unknown) =>
      log.warn({ err: error }, 'could not free an idempotency key'),
    );
  };
}
