import { setTimeout as delay } from 'node:timers/promises';
import {
  ChunkLostError,
  freesCredits,
  NOTHING,
  type ChunkChange,
  type ChunkOutcomes,
  type ChunkRelease,
  type RunSpec,
  type SettledRows,
  type TakenChunk,
} from '@gleaner/core';
import type { ChunkState } from './chunk-state.ts';
import type { ChunkDeps, ChunkWork } from './chunk-work.ts';
import {
  holdLease,
  type HeldLease,
  createTaskWriter,
  isRefused,
  SinkAwayError,
  type TaskWriter,
} from './task-writes.ts';
import { createSinkWait, type SinkWait } from './sinks.ts';

/** Outcomes are written at the first tick after this long, or at once when there are many. */
const FLUSH_MS = 600;
/** They wait this long for the end of their chunk. */
const END_AWAITED_MS = 900;
const FLUSH_COUNT = 400;
const FLUSH_LENGTH = 4 * 1024 * 1024;
/** How long the end of a chunk is tried again while Postgres is unavailable. */
const END_WITHIN_MS = 30_000;
const END_PAUSE_MS = 300;

/**
 * What became of a write: `written`, or `late` (written, but the lease had run out), `lost` (another worker has the chunk,
 * or it was cancelled), `sink away` (the outcomes wait for the sink's database), `failed` (they are written later).
 */
export type WriteResult = 'written' | 'late' | 'lost' | 'sink away' | 'failed';

/** Writes the outcomes of one chunk, and renews its lease with them. */
export interface ChunkFlusher {
  readonly lease: Pick<HeldLease, 'isEnding' | 'isDue'>;
  readonly sinkWait: Pick<SinkWait, 'isDue' | 'mayReleaseSlots'>;
  /** Whether outcomes are so many, or so large, that they are written at once. */
  isFull(): boolean;
  /** Whether outcomes have waited long enough. @param endsInMs when the chunk is likely to end, which writes them too */
  isDue(endsInMs: number): boolean;
  isWriting(): boolean;
  isRenewing(): boolean;
  /** Writes what there is, gives back `release` and renews the lease. While a flush runs, returns that one. */
  flush(release: ChunkRelease | null): Promise<WriteResult>;
  /** Renews the lease and gives back `release`, while outcomes wait for their sink. */
  renew(release: ChunkRelease | null): Promise<WriteResult>;
  /** After the running flush, writes the last outcomes and ends the chunk. */
  end(): Promise<WriteResult>;
  /** From now on, outcomes that the sink does not take are given back. */
  stop(): void;
  /** Resolves when the children of what was written are tasks. */
  followed(): Promise<void>;
  /** Forgets what waits for the sink. Call it once the chunk has ended. */
  close(): void;
}

export interface ChunkFlusherInput {
  deps: ChunkDeps;
  work: ChunkWork;
  state: ChunkState;
}

/** The statements about a chunk: they renew its lease, and say which slots are free for others. */
function createSender({ deps, work, state }: ChunkFlusherInput, sinkWait: SinkWait) {
  const { chunk } = work;
  let isWaitNoted = false;
  /** When the chunk ends, further tasks of the run may begin. */
  let hasFreedCredits = false;
  let hasFreed = false;

  /** It notes when the wait for the sink begins, and when it ends. */
  const send = async (
    outcomes: ChunkOutcomes,
    options: Pick<ChunkChange, 'release' | 'rows'> = {},
    waiting = 0,
  ): Promise<WriteResult> => {
    const changesWait = waiting > 0 !== isWaitNoted;
    const sentAt = performance.now();
    hasFreedCredits ||= freesCredits(outcomes);
    const outcome = await deps.writer.write(chunk, outcomes, { ...options, waiting, changesWait });
    isWaitNoted = waiting > 0;
    if (changesWait && !isWaitNoted) deps.freed({ account: chunk.accountId, ms: 0, isMore: true });
    if (outcome === 'late') return 'late';
    lease.extend(sentAt);
    return 'written';
  };
  const lease = holdLease(
    work.leasedAt,
    async () => (await send(NOTHING, {}, sinkWait.count())) === 'written',
    deps.leaseMs,
  );
  return {
    send,
    lease,
    /** Writes the last outcomes and ends the chunk. */
    sendEnd: (outcomes: ChunkOutcomes, rows?: SettledRows) => {
      hasFreedCredits ||= freesCredits(outcomes);
      return deps.writer.write(chunk, outcomes, { end: state.end(), rows });
    },
    /** The chunk has ended in Postgres. */
    noteEnd: (): void => {
      const { retries, left, wake } = state.end();
      const isMore =
        isWaitNoted || hasFreedCredits || retries.length > 0 || left.length > 0 || wake !== undefined;
      deps.freed({ account: chunk.accountId, ms: state.busyMs() - chunk.charge, isMore });
      hasFreed = true;
    },
    close: (): void => {
      if (!hasFreed) deps.freed({ account: chunk.accountId, ms: 0, isMore: false });
    },
  };
}

/** `runs.no` of the workflow run that goes on with what was written, or with its end. */
function followedRoot({ stage }: RunSpec, { children, fetched }: ChunkOutcomes): string | undefined {
  const goesOn = children !== undefined || fetched !== undefined || stage?.crawl?.role === 'source';
  return goesOn ? stage?.rootNo : undefined;
}

/** Makes tasks of the children that outcomes give: further stages of the workflow run continue with them. */
function createFollowing({ deps, work: { run } }: ChunkFlusherInput) {
  let following: Promise<unknown> = Promise.resolve();
  return {
    note: (outcomes: ChunkOutcomes): void => {
      const rootNo = followedRoot(run, outcomes);
      if (rootNo === undefined) return;
      const numbered = deps.numbering(rootNo);
      following = Promise.all([following, numbered]);
      if (run.stage?.crawl?.role === 'pages') void numbered.then(() => deps.known.refresh(run.no));
    },
    done: async (): Promise<void> => {
      await following;
    },
  };
}

/** What the steps of a flusher share. */
interface Flushing extends ChunkFlusherInput {
  sinkWait: SinkWait;
  sender: ReturnType<typeof createSender>;
  write: TaskWriter;
  isStopped: () => boolean;
}

function logOf({ work: { chunk, run } }: ChunkFlusherInput): { runId: string; chunk: TakenChunk['chunk'] } {
  return { runId: run.id, chunk: chunk.chunk };
}

/** Writes each task alone, when Postgres may refuse a value of one. */
async function writeSingly({ state, write, sender }: Flushing): Promise<void> {
  while (!state.isEmpty()) await write((outcomes, rows) => sender.send(outcomes, { rows }), 1);
}

async function flushOnce(flushing: Flushing, release: ChunkRelease | null): Promise<WriteResult> {
  const { deps, sinkWait, sender, write } = flushing;
  try {
    const result = await write((outcomes, rows) => sender.send(outcomes, { release, rows }));
    sinkWait.end();
    return result;
  } catch (error) {
    if (error instanceof SinkAwayError) return 'sink away';
    if (error instanceof ChunkLostError) return 'lost';
    deps.log.warn({ err: error, ...logOf(flushing) }, 'a flush failed; trying again');
    if (isRefused(error)) await writeSingly(flushing).catch(() => undefined);
    return 'failed';
  }
}

async function renewOnce({ sender, sinkWait }: Flushing, release: ChunkRelease | null): Promise<WriteResult> {
  try {
    return await sender.send(NOTHING, { release }, sinkWait.count());
  } catch (error) {
    return error instanceof ChunkLostError ? 'lost' : 'failed';
  }
}

/** Tries to end the chunk for a while, as Postgres may be away. */
async function endChunk(flushing: Flushing): Promise<WriteResult> {
  const { deps, state, sinkWait, sender, write, isStopped } = flushing;
  const until = performance.now() + END_WITHIN_MS;
  for (;;) {
    try {
      if (isStopped() && sinkWait.count() > 0) state.giveBackDone();
      while (!write.mayTakeAll()) await write((outcomes, rows) => sender.send(outcomes, { rows }));
      await write(sender.sendEnd);
      sender.noteEnd();
      return 'written';
    } catch (error) {
      if (error instanceof ChunkLostError) return 'lost';
      if (error instanceof SinkAwayError) {
        if (!isStopped()) return 'sink away';
        state.giveBackDone();
        continue;
      }
      if (isRefused(error)) await writeSingly(flushing).catch(() => undefined);
      if (performance.now() > until) {
        deps.log.warn({ err: error, ...logOf(flushing) }, 'could not end a chunk; it will run again');
        return 'failed';
      }
      await delay(END_PAUSE_MS);
    }
  }
}

/** Runs `act` once at a time: a call while it runs returns the running one. */
function onceAtATime(act: (release: ChunkRelease | null) => Promise<WriteResult>) {
  let running: Promise<WriteResult> | undefined;
  return {
    isRunning: () => running !== undefined,
    run: (release: ChunkRelease | null): Promise<WriteResult> => {
      running ??= act(release).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

export function createChunkFlusher(input: ChunkFlusherInput): ChunkFlusher {
  const { deps, work, state } = input;
  const sinkWait = createSinkWait(deps.heldAnswers);
  const sender = createSender(input, sinkWait);
  const following = createFollowing(input);
  let isStopped = false;
  const write = createTaskWriter({
    deps,
    run: work.run,
    state,
    lease: sender.lease,
    keepsOutcomes: () => isStopped || sinkWait.mayGoOn(),
    onWritten: following.note,
    onSinkAway: () => {
      if (isStopped) return;
      if (sinkWait.count() === 0)
        deps.log.warn(logOf(input), 'fetched pages wait for the database of their sink');
      sinkWait.begin(state.count(), state.answerLength());
    },
  });
  const flushing: Flushing = { ...input, sinkWait, sender, write, isStopped: () => isStopped };
  const flushes = onceAtATime((release) => flushOnce(flushing, release));
  const renewals = onceAtATime((release) => renewOnce(flushing, release));

  return {
    lease: sender.lease,
    sinkWait,
    isFull: () => state.count() >= FLUSH_COUNT || state.answerLength() >= FLUSH_LENGTH,
    isDue: (endsInMs) => {
      const waitedMs = state.waitedMs();
      return waitedMs >= FLUSH_MS && waitedMs + endsInMs > END_AWAITED_MS;
    },
    isWriting: flushes.isRunning,
    isRenewing: renewals.isRunning,
    flush: flushes.run,
    renew: renewals.run,
    end: () => endChunk(flushing),
    stop: () => {
      isStopped = true;
    },
    followed: following.done,
    close: () => {
      sender.close();
      sinkWait.end();
    },
  };
}
