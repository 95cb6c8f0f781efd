import { takeChunks, type FreedSlots, type TakenChunk } from '@gleaner/core';
import type { ClaimedJob, QueueName } from '@gleaner/queue';
import { startProgress } from './job-progress.ts';
import type { ChunkDeps } from '../running/chunk-work.ts';
import type { RunningChunks } from './running-chunks.ts';

/** A job ends after this time or this number of chunks, and another one continues. Bull Board shows ended ones. */
const SHIFT_MS = 5_000;
const SHIFT_CHUNKS = 100;

/** A BullMQ job in which a worker takes and runs chunks. */
export interface Shift {
  /** Takes chunks for the room that there is. Returns how many, and whether further accounts wait. Never rejects. */
  take(): Promise<{ count: number; isMore: boolean }>;
  /** Whether it may take further chunks. */
  isLasting(): boolean;
  hasChunks(): boolean;
  /** Waits for its chunks, and ends the job. */
  end(): Promise<void>;
}

interface ShiftInput {
  deps: Pick<ChunkDeps, 'db' | 'log' | 'workerId' | 'leaseMs'>;
  queue: QueueName;
  job: ClaimedJob;
  chunks: RunningChunks;
  /** Slots that this worker freed since its last take. */
  freed: FreedSlots[];
  /** Called when one of its chunks has ended. */
  onEnd: () => void;
}

export function startShift({ deps, queue, job, chunks, freed, onEnd }: ShiftInput): Shift {
  const { log, workerId, leaseMs } = deps;
  const begunAt = performance.now();
  const progress = startProgress(job, workerId);
  const members = new Set<Promise<void>>();

  const begin = async (chunk: TakenChunk, leasedAt: number): Promise<void> => {
    await chunks.run(chunk, leasedAt, progress.of(chunk));
    onEnd();
  };
  return {
    take: async () => {
      const given = freed.splice(0);
      const leasedAt = performance.now();
      try {
        const taken = await takeChunks(deps, {
          queue,
          workerId,
          slots: chunks.room(),
          freed: given,
          leaseMs,
        });
        freed.push(...given.filter(({ account }) => taken.missed.includes(account)));
        for (const chunk of taken.chunks) {
          const member = begin(chunk, leasedAt);
          members.add(member);
          void member.finally(() => members.delete(member));
        }
        return { count: taken.chunks.length, isMore: taken.isMore };
      } catch (error) {
        freed.push(...given);
        log.warn({ err: error, queue }, 'no chunks could be taken; trying again');
        return { count: 0, isMore: true };
      }
    },
    isLasting: () => progress.count() < SHIFT_CHUNKS && performance.now() - begunAt < SHIFT_MS,
    hasChunks: () => members.size > 0,
    end: async () => {
      while (members.size > 0) await Promise.all(members);
      await progress.close();
      await job.end(progress.count() > 0).catch(() => undefined);
    },
  };
}
