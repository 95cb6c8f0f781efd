import type { StoredError } from '@gleaner/contracts';
import type { JobHandle } from '@gleaner/queue';

/** The most failures of a chunk in its job's log; further ones are only counted. */
const MAX_LINES = 50;
/** How often a job's progress and log are written, at most. */
const REPORT_MS = 500;

/** Reports what the chunks of one job do to Bull Board. A failed report never fails a chunk. */
export interface JobProgress {
  /** The progress of one chunk. @param name its account, run and range */
  of(name: string, total: number): ChunkProgress;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export interface ChunkProgress {
  succeeded(): void;
  /** @param seq the task's place in the run's inputs */
  failed(seq: number, error: StoredError): void;
  /** Adds a line about the chunk. */
  ended(): void;
}

export function startProgress(job: JobHandle): JobProgress {
  const sum = { total: 0, succeeded: 0, failed: 0 };
  let lines: string[] = [];
  let reporting: NodeJS.Timeout | undefined;
  const report = async (): Promise<void> => {
    clearTimeout(reporting);
    reporting = undefined;
    const log = lines.join('\n');
    lines = [];
    await Promise.allSettled([job.setProgress({ ...sum }), ...(log === '' ? [] : [job.addLog(log)])]);
  };
  const reportSoon = (): void => {
    reporting ??= setTimeout(() => void report(), REPORT_MS);
  };
  return {
    of: (name, total) => {
      let succeeded = 0;
      let failed = 0;
      const failures: string[] = [];
      sum.total += total;
      return {
        succeeded: () => {
          succeeded += 1;
          sum.succeeded += 1;
          reportSoon();
        },
        failed: (seq, error) => {
          failed += 1;
          sum.failed += 1;
          // The log omits the input and the error's detail, because both can contain URLs with secrets.
          if (failed <= MAX_LINES) failures.push(`  input ${seq}: ${error.code}`);
          reportSoon();
        },
        ended: () => {
          const counts = `${name}: ${succeeded} succeeded, ${failed} failed, ${total - succeeded - failed} given back`;
          lines.push(counts, ...failures);
          reportSoon();
        },
      };
    },
    close: async () => {
      if (reporting !== undefined) await report();
    },
  };
}
