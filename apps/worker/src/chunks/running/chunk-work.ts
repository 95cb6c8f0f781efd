import type { StoredError } from '@gleaner/contracts';
import type {
  Carried,
  CarriedReader,
  ChildMaker,
  ChunkWriter,
  DatabaseClock,
  FreedSlots,
  KnownLinks,
  Numbering,
  RunCache,
  RunSpec,
  PageCopy,
  Services,
  SinkWriter,
  StorageWatch,
  TakenChunk,
} from '@gleaner/core';
import type { Cancellations } from '../../cancellations.ts';
import type { CrawlExecutor } from '../../crawls/crawl-executor.ts';
import type { TaskExecutor } from '../../tasks/execute-task.ts';
import type { TaskJudge } from '../../tasks/judge-task.ts';
import type { LargeWrites } from '../../load/large-writes.ts';
import type { OutcomeBudget } from '../../load/outcome-budget.ts';
import type { SlotGate } from '../../load/slot-gate.ts';
import type { PageKeeper } from '../../pages/page-keeper.ts';
import type { HeldAnswers } from './sinks.ts';

export interface ChunkDeps extends Pick<Services, 'db' | 'queue' | 'log'> {
  workerId: string;
  /** The clock of fetched pages. */
  clock: DatabaseClock;
  executor: TaskExecutor;
  /** Runs tasks of crawls. */
  crawler: CrawlExecutor;
  /** Links that crawls have already. */
  known: Pick<KnownLinks, 'refresh'>;
  runs: RunCache;
  writer: ChunkWriter;
  /** How long a chunk is leased, as the writer renews it. Shorter in tests. */
  leaseMs?: number | undefined;
  /** Called when a chunk gave back slots, also at its end. */
  freed: (slots: FreedSlots) => void;
  gate: SlotGate;
  /** How many chunks of few tasks may run at once. */
  shortChunks: () => number;
  /** Registers work that can be stopped by run number or by `yield:<account>`. */
  cancellations: Pick<Cancellations, 'watch'>;
  heldAnswers: HeldAnswers;
  outcomes: Pick<OutcomeBudget, 'watch'>;
  largeWrites: LargeWrites;
  pages: Pick<PageKeeper, 'returnsBody' | 'offer'>;
  judge: TaskJudge;
  storage: Pick<StorageWatch, 'refusalOf'>;
  /** The page that a task of a re-parse reads. */
  savedPage: (task: { accountId: string; runNo: string; seq: number }) => Promise<PageCopy>;
  openSink: (run: RunSpec) => Promise<SinkWriter>;
  /** Finds what a stage's results give to further stages. */
  childMakerOf: (run: RunSpec) => ChildMaker;
  readCarriedValues: CarriedReader;
  numbering: Numbering;
  /** Counts an ended attempt: `succeeded` or the error's code. */
  count: (outcome: string) => void;
}

/** Reports the tasks of a chunk to operators. */
export interface ChunkProgress {
  succeeded(): void;
  /** @param seq the task's place in the run's inputs */
  failed(seq: number, error: StoredError): void;
  /** Adds a line about the chunk. */
  ended(): void;
}

/** What tasks keep of their inputs or ancestors, and give to further stages. */
export interface Follow {
  /** Absent when no further stage takes what tasks give. */
  makeChildren?: ChildMaker | undefined;
  /** What a task keeps, by its place in the chunk. */
  carriedOf: (place: number) => Promise<Carried>;
}

export interface ChunkWork {
  chunk: TakenChunk;
  run: RunSpec;
  /** When the lease was requested, on performance.now()'s clock. */
  leasedAt: number;
  progress: ChunkProgress;
  /** Absent when tasks keep and give nothing. */
  follow?: Follow | undefined;
}

/** A running chunk. */
export interface RunningChunk {
  /** Resolves when this worker no longer holds the chunk. */
  ended: Promise<void>;
  /** Housekeeping, regularly. All chunks do it together, so that they are written together. */
  tick: () => void;
  /** Begins no further task and returns the remaining ones. */
  yieldSlots: () => void;
  /** Aborts its tasks, writes finished outcomes and returns the rest, without counting an attempt. */
  stop: (reason: string) => void;
  /** The number of tasks that it runs or could run now. */
  demand: () => number;
  /** Whether it does nothing but hold outcomes until the sink's database is back. */
  waitsForSink: () => boolean;
}
