import type { StoredError } from '@gleaner/contracts';
import type { JobHandle } from '@gleaner/queue';

/** The most failures of a chunk in its job's log; further ones are only counted. */
const MAX_LINES = 50;

/** Reports what the chunks of one job do to Bull Board. A failed report never fails a chunk. */
export interface JobProgress {
  /** Of one chunk. @param name its account, run and range */
  of(name: string, total: number): ChunkProgress;
}

export interface ChunkProgress {
  succeeded(): void;
  /** @param seq the task's place in the run's inputs */
  failed(seq: number, error: StoredError): void;
  report(): void;
  /** Adds a line about the chunk. */
  ended(): void;
}

export function startProgress(job: JobHandle): JobProgress {
  const sum = { total: 0, succeeded: 0, failed: 0 };
  const report = (): void => {
    job.setProgress({ ...sum }).catch(() => undefined);
  };
  return {
    of: (name, total) => {
      let succeeded = 0;
      let failed = 0;
      const lines: string[] = [];
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
          if (failed <= MAX_LINES) lines.push(`  input ${seq}: ${error.code}`);
        },
        report,
        ended: () => {
          const counts = `${name}: ${succeeded} succeeded, ${failed} failed, ${total - succeeded - failed} given back`;
          job.addLog([counts, ...lines].join('\n')).catch(() => undefined);
        },
      };
    },
  };
}
