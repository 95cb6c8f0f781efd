import { takeChunks, type FreedSlots, type TakenChunk } from '@gleaner/core';
import type { ClaimedJob, QueueName } from '@gleaner/queue';
import type { ChunkDeps, ChunkProgress } from '../running/chunk-work.ts';
import type { RunningChunks } from './running-chunks.ts';

/** The most failures of a chunk in its job's log; further ones are only counted. */
const MAX_LINES = 50;
/** How often a job's data, progress and log are written, at most. */
const REPORT_MS = 1_000;

/** Reports what the chunks of one job do to Bull Board. A failed report never fails a chunk. */
interface JobProgress {
  /** Adds a chunk. */
  of(chunk: TakenChunk): ChunkProgress;
  /** The number of chunks so far. */
  count(): number;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

function rangeOf({ seqs }: TakenChunk): string {
  return seqs.length === 0 ? 'none' : `${seqs[0]}-${seqs.at(-1)}`;
}

function startProgress(job: ClaimedJob, worker: string): JobProgress {
  const sum = { total: 0, succeeded: 0, failed: 0 };
  const chunks: { account: string; run: string; range: string }[] = [];
  let shown = 0;
  let lines: string[] = [];
  let reported = 0;
  const report = async (): Promise<void> => {
    const log = lines.join('\n');
    lines = [];
    const isNew = shown < chunks.length;
    shown = chunks.length;
    const hasMoved = reported < sum.succeeded + sum.failed;
    reported = sum.succeeded + sum.failed;
    await Promise.allSettled([
      isNew ? job.setData({ kind: 'turn', worker, chunks }) : undefined,
      hasMoved ? job.setProgress({ ...sum }) : undefined,
      log === '' ? undefined : job.addLog(log),
    ]);
  };
  const reporting = setInterval(() => void report(), REPORT_MS);
  return {
    of: (chunk) => {
      const shownAs = { account: chunk.accountId, run: chunk.runId, range: rangeOf(chunk) };
      const total = chunk.seqs.length;
      let succeeded = 0;
      let failed = 0;
      const failures: string[] = [];
      chunks.push(shownAs);
      sum.total += total;
      return {
        succeeded: () => {
          succeeded += 1;
          sum.succeeded += 1;
        },
        failed: (seq, error) => {
          failed += 1;
          sum.failed += 1;
          // The log omits the input and the error's detail, because both can contain URLs with secrets.
          if (failed <= MAX_LINES) failures.push(`  input ${seq}: ${error.code}`);
        },
        ended: () => {
          const left = total - succeeded - failed;
          lines.push(
            `${Object.values(shownAs).join(' ')}: ${succeeded} succeeded, ${failed} failed, ${left} given back`,
            ...failures,
          );
        },
      };
    },
    count: () => chunks.length,
    close: async () => {
      clearInterval(reporting);
      await report();
    },
  };
}

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
