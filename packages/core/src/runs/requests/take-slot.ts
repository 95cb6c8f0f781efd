import { AppError } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';

/** Longer than anything that the API itself does; a crash leaks the slot for no longer. */
const SLOT_LEASE_MS = 60_000;

/**
 * Runs work of the API process under one of the account's slots.
 * @throws AppError concurrency_limit_exceeded
 */
export async function withSlot<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const { db, queue, log } = ctx.services;
  const id = createId('request');
  const [row] = await db.sql<{ taken: boolean }[]>`
    SELECT engine.take_slot(${id}, ${ctx.accountId}, ${SLOT_LEASE_MS}) AS taken`;
  if (row?.taken !== true) {
    throw new AppError('concurrency_limit_exceeded', {
      detail: 'as many requests are executing as the account may have',
      retryAfterSeconds: 1,
    });
  }
  try {
    return await work();
  } finally {
    const admitted = await db.sql<AdmittedRow[]>`SELECT * FROM engine.release_slot(${id})`;
    await deliverAdmitted(queue, log, admitted);
  }
}
