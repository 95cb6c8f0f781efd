import { randomUUID } from 'node:crypto';
import type { Job, Queue, Worker } from 'bullmq';
import { toJobHandle, type ClaimedJob, type Claimer } from './backend.ts';
import { payloadSchema } from './catalog.ts';

/** How long BullMQ takes a job for one that its worker runs, without a sign of it. */
export const LOCK_MS = 30_000;

/** Keeps BullMQ's lock of a job until it ends (https://docs.bullmq.io/patterns/manually-fetching-jobs). */
function holdJob(job: Job, token: string): ClaimedJob {
  const renewal = setInterval(() => {
    // A job that the queue lost has no lock; its work goes on.
    job.extendLock(token, LOCK_MS).catch(() => undefined);
  }, LOCK_MS / 3);
  renewal.unref();
  return {
    ...toJobHandle(job),
    payload: payloadSchema.parse(job.data),
    setData: (data) => job.updateData(data),
    end: async (isShown) => {
      clearInterval(renewal);
      if (!isShown) job.opts.removeOnComplete = true;
      await job.moveToCompleted('', token, false);
    },
  };
}

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
      if (payloadSchema.safeParse(job.data).success) return holdJob(job, token);
      // Of an earlier version, which put chunks into the queue; the sweeper gives their tasks back.
      await job.moveToCompleted('', token, false);
      return undefined;
    },
    isPaused: () => queue.isPaused(),
    // A claim that waits for a job is given up.
    close: () => worker.close(true),
  };
}
