import type { StoredError } from '@gleaner/contracts';
import type { JobHandle } from '@gleaner/queue';

/** Failures that a chunk's log names; the rest are counted. */
const MAX_LINES = 50;

/** What Bull Board shows of a chunk. Telling it never fails the chunk. */
export interface ChunkProgress {
  succeeded(): void;
  /** @param seq the task's place in the run's inputs */
  failed(seq: number, error: StoredError): void;
  report(): void;
}

export function startProgress(job: JobHandle, total: number): ChunkProgress {
  let succeeded = 0;
  let failed = 0;
  let lines: string[] = [];
  let shown = 0;
  return {
    succeeded: () => {
      succeeded += 1;
    },
    failed: (seq, error) => {
      failed += 1;
      shown += 1;
      if (shown > MAX_LINES) return;
      // Neither the input nor the error's detail: both can hold URLs, and URLs can hold secrets.
      lines.push(`input ${seq}: ${error.code}`);
    },
    report: () => {
      job.setProgress({ total, succeeded, failed }).catch(() => undefined);
      if (lines.length === 0) return;
      job.addLog(lines.join('\n')).catch(() => undefined);
      lines = [];
    },
  };
}
