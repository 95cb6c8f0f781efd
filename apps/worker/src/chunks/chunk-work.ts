import type {
  ChildMaker,
  Numbering,
  RunCache,
  RunSpec,
  Services,
  SinkWriter,
  StartedChunk,
  TaskOutcome,
  TaskSpec,
} from '@gleaner/core';
import type { ChunkProgress } from './chunk-progress.ts';
import type { Follow } from './chunk-state.ts';
import type { HeldAnswers } from './sink-wait.ts';
import type { SlotGate } from './slot-gate.ts';

/** Does one attempt of one task; only an abort throws. */
export interface ChunkTaskExecutor {
  execute(
    spec: TaskSpec,
    run: {
      accountId: string;
      deadlineAt: number;
      signal: AbortSignal;
      attempts: 'none';
      isRequeuedWhenBusy: boolean;
    },
  ): Promise<TaskOutcome>;
}

export interface ChunkDeps extends Pick<Services, 'db' | 'queue' | 'log'> {
  workerId: string;
  executor: ChunkTaskExecutor;
  runs: RunCache;
  gate: SlotGate;
  /** Work that is told to stop: by run number, or by `yield:<account>`. */
  cancellations: {
    watch(id: string): { signal: AbortSignal; abort: (reason: string) => void; forget: () => void };
  };
  heldAnswers: HeldAnswers;
  openSink: (run: RunSpec) => Promise<SinkWriter>;
  /** Finds what a stage's results give to further stages. */
  childMakerOf: (run: RunSpec) => ChildMaker;
  numbering: Numbering;
  /** Counts an ended attempt: `succeeded` or the error's code. */
  count: (outcome: string) => void;
}

export interface ChunkWork {
  chunk: StartedChunk;
  run: RunSpec;
  /** When the lease was asked for, on performance.now()'s clock. */
  leasedAt: number;
  progress: ChunkProgress;
  /** Of a stage of a workflow run. */
  follow?: Follow | undefined;
}

/** A chunk under way. */
export interface RunningChunk {
  /** Resolves when this worker holds the chunk no longer. */
  ended: Promise<void>;
  /** Begins no further task: what is left goes back. */
  yieldSlots: () => void;
  /** Aborts its tasks, writes what was done and gives the rest back, as no attempt. */
  stop: (reason: string) => void;
  /** Tasks that it has or could have under way now. */
  demand: () => number;
}
