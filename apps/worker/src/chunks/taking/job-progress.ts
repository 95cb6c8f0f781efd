import type { TakenChunk } from '@gleaner/core';
import type { ClaimedJob } from '@gleaner/queue';
import type { ChunkProgress } from '../running/chunk-work.ts';

/** The most failures of a chunk in its job's log; further ones are only counted. */
const MAX_LINES = 50;
/** How often a job's data, progress and log are written, at most. */
const REPORT_MS = 1_000;

/** Reports what the chunks of one job do to Bull Board. A failed report never fails a chunk. */
export interface JobProgress {
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

export function startProgress(job: ClaimedJob, worker: string): JobProgress {
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
