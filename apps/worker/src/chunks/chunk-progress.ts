import type { StoredError } from '@gleaner/contracts';
import type { JobHandle } from '@gleaner/queue';

/** The most failures in a chunk's log; further ones are only counted. */
const MAX_LINES = 50;

/** Reports a chunk's progress to Bull Board. A failed report never fails the chunk. */
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
      // The log omits the input and the error's detail, because both can contain URLs with secrets.
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
