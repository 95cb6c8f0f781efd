import { AppError } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { endPatiently } from './end-requests.ts';
import type { InteractiveServices } from './run-request.ts';
import { submitOrRefuse } from './submit-requests.ts';

/** Longer than any work of the API. A crash leaks the slot for at most this time. */
const SLOT_LEASE_MS = 60_000;
/** Chunks release their slots within about a second. */
const SLOT_WAIT_MS = 10_000;

/**
 * Runs work of the API process with one of the account's slots. When chunks hold all slots, it waits for one.
 * @throws AppError concurrency_limit_exceeded
 */
export async function withSlot<T>(ctx: Context<InteractiveServices>, work: () => Promise<T>): Promise<T> {
  const { services, accountId, signal } = ctx;
  const { interactive } = services;
  const id = createId('request');
  const { outcome, rank } = await submitOrRefuse(interactive, {
    id,
    accountId,
    kind: 'slot',
    queue: 'none',
    price: 0,
    timeoutMs: SLOT_LEASE_MS,
  });
  try {
    if (outcome === 'waiting') {
      const deadlineAt = Date.now() + SLOT_WAIT_MS;
      const awaited = { queue: 'none', accountId, rank, deadlineAt, signal } as const;
      const { state } = await interactive.answers.wait(id, awaited);
      if (state !== 'admitted') throw noSlot();
    }
    return await work();
  } finally {
    await endPatiently(interactive.ender, {
      id,
      accountId,
      attempt: null,
      end: { state: 'succeeded', answer: '' },
    });
  }
}

function noSlot(): AppError {
  return new AppError('concurrency_limit_exceeded', {
    detail: `no slot of the account became free within ${SLOT_WAIT_MS / 1000} s`,
    retryAfterSeconds: 1,
  });
}
