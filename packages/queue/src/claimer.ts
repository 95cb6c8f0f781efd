import { randomUUID } from 'node:crypto';
import type { Job, Queue, Worker } from 'bullmq';
import { toJobHandle, type ClaimedJob, type Claimer } from './backend.ts';
import { hasUnknownKind, payloadSchema } from './catalog.ts';

/** How long BullMQ takes a job for one that its worker runs, without a sign of it. */
export const LOCK_MS = 30_000;

/** Keeps BullMQ's lock of a job until it ends (https://docs.bullmq.io/patterns/manually-fetching-jobs). */
function holdJob(job: Job, token: string): ClaimedJob {
  const renewal = setInterval(() => {
    // A job that the queue lost has no lock; its work continues.
    job.extendLock(token, LOCK_MS).catch(() => undefined);
  }, LOCK_MS / 3);
  renewal.unref();
  return {
    ...toJobHandle(job),
    payload: payloadSchema.parse(job.data),
    setData: (data) => job.updateData(data),
    putBack: async (forMs) => {
      clearInterval(renewal);
      await job.moveToDelayed(Date.now() + forMs, token);
    },
    end: async (isShown = false) => {
      clearInterval(renewal);
      if (!isShown) job.opts.removeOnComplete = true;
      await job.moveToCompleted('', token, false);
    },
  };
}

/** Long enough for a process of a later version to take a job of a kind that this one doesn't know. */
const UNKNOWN_BACK_MS = 1_000;

/** @param worker without a processor, so that it takes no job by itself */
export function claimerOf(worker: Worker, queue: Queue): Claimer {
  let hasStarted = false;
  return {
    claim: async () => {
      if (!hasStarted) {
        hasStarted = true;
        await worker.startStalledCheckTimer();
      }
      const token = randomUUID();
      const job = await worker.getNextJob(token);
      if (job === undefined) return undefined;
      if (!hasUnknownKind(job.data)) return holdJob(job, token);
      // Versions before 0.2 delivered chunks; now workers take them.
      if (job.data.kind === 'chunk') {
        await job.moveToCompleted('', token, false);
        return undefined;
      }
      await job.moveToDelayed(Date.now() + UNKNOWN_BACK_MS, token);
      return undefined;
    },
    isPaused: () => queue.isPaused(),
    // Without force, it waits on Redis for a claim that waits.
    close: () => worker.close(true),
  };
}
