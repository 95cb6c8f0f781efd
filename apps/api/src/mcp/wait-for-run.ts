import { AppError } from '@gleaner/contracts';
import type { CallInput, OperationEntry } from '@gleaner/core';
import { z } from 'zod';
import type { ApiServices } from '../services.ts';
import { withCall, type DoorClient } from '../http/with-call.ts';
import type { Progress } from './progress.ts';

/** Shorter than a call may take with most clients. */
const MAX_WAIT_SECONDS = 50;

export const waitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(0)
  .describe('Seconds to wait for the end; progress is reported meanwhile.');

const countsSchema = z.object({
  counts: z.object({ total: z.int(), succeeded: z.int(), failed: z.int(), cancelled: z.int() }),
});

/** @throws AppError invalid_request */
export function readWaitSeconds(value: unknown): number {
  const parsed = waitSeconds.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_request', {
    field: 'wait_seconds',
    detail: `must be a whole number from 0 to ${MAX_WAIT_SECONDS}`,
  });
}

/** A call of the operation that follows a run. */
export interface Follow {
  entry: OperationEntry;
  input: CallInput;
}

/**
 * Waits until a run has ended or the time is over, by the operation that clients follow it with over REST: with its
 * limits on streams and on calls.
 * @throws AppError not_found, concurrency_limit_exceeded, rate_limit_exceeded
 */
export async function waitForRun(
  services: ApiServices,
  client: DoorClient,
  { entry, input }: Follow,
  { seconds, signal, progress }: { seconds: number; signal: AbortSignal; progress: Progress },
): Promise<void> {
  const over = AbortSignal.timeout(seconds * 1000);
  const limited = AbortSignal.any([signal, over]);
  const follow = withCall(services, client, { entry, signal: limited }, async (call) => {
    const { answer } = await call.run(input);
    if (answer.kind !== 'events') throw new Error(`${entry.operation.id} has no events`);
    for await (const { data } of answer.events) {
      const record = countsSchema.safeParse(data);
      if (!record.success) continue;
      const { total, succeeded, failed, cancelled } = record.data.counts;
      const message = `${succeeded} of ${total} succeeded, ${failed} failed`;
      await progress.report(succeeded + failed + cancelled, total, message);
    }
  });
  await follow.catch((error: unknown) => {
    // The time can be over before the run was read for the first time.
    if (error !== over.reason) throw error;
  });
}
