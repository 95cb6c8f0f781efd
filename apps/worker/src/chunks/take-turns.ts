import {
  ChunkLostError,
  hasTurns,
  needsCarried,
  noteCanary,
  readCarried,
  takeChunks,
  type FreedSlots,
  type TakenChunk,
} from '@gleaner/core';
import { turnDelivery, type ClaimedJob, type Claimer, type QueueName } from '@gleaner/queue';
import { createBell } from './bell.ts';
import { startProgress, type JobProgress } from './chunk-progress.ts';
import type { ChunkDeps, RunningChunk } from './chunk-work.ts';
import { runChunk } from './run-chunk.ts';

/** A worker takes so much more than its slots, so that no slot waits for a round trip. */
const AHEAD = 0.25;
/** A job takes chunks for this long at most, and so many; then another job does. Bull Board shows ended ones. */
const SHIFT_MS = 5_000;
const SHIFT_CHUNKS = 100;
/** A worker that nobody calls looks for work this often. */
const LOOK_MS = 1_000;
/** How often a worker asks whether an operator has paused the queue. */
const PAUSE_LOOK_MS = 400;
/** The first and the longest pause after a look that found accounts whose rows others held. */
const BUSY_MS = 20;
/** How often a worker at work records that it consumes the queue. */
const PROVE_MS = 5_000;
/** How often a worker calls others, at most. */
const CALL_MS = 100;
/** Chunks of few tasks, for the limit beside interactive requests. */
const TASKS_PER_CHUNK = 4;
const MEAN_WEIGHT = 0.2;

export interface TurnTaker {
  /** Slots of an account became free in this process. */
  freed(slots: FreedSlots): void;
  /** While true, the worker takes nothing; other workers do. */
  refuse(isRefusing: boolean): void;
  /**
   * Begins no further task, and stops running ones after `graceMs`. Stopped tasks count neither as attempts nor as deaths of
   * their worker.
   */
  drain(graceMs: number): void;
  /** The number of chunks that run. */
  running(): number;
  /** After `drain`: waits until all chunks have ended. */
  close(): Promise<void>;
}

/** What takes chunks now: the job that shows them. */
interface Shift {
  job: ClaimedJob;
  progress: JobProgress;
  begunAt: number;
  chunks: { account: string; run: string; range: string }[];
  members: Set<Promise<void>>;
}

/**
 * Takes chunks for the free slots of this worker, in BullMQ jobs: a job says that accounts wait, whoever claims it takes
 * their chunks in one statement, and goes on with the job as long as slots become free, for some seconds. A queue that an
 * operator pauses gives no job, and stops what runs.
 */
export function createTurnTaker(
  deps: Omit<ChunkDeps, 'freed'>,
  name: QueueName,
  claimer: Claimer,
): TurnTaker {
  const { gate, log, queue, workerId } = deps;
  const running = new Set<RunningChunk>();
  const freed = new Map<string, FreedSlots>();
  const bell = createBell();
  const roomBell = createBell();
  let starting = 0;
  let shift: Shift | undefined;
  let isRefusing = false;
  let isDraining = false;
  let calledAt = -Infinity;
  let calling: NodeJS.Timeout | undefined;
  let provenAt = -Infinity;
  let meanTasks = TASKS_PER_CHUNK;

  const addFreed = ({ account, ms, isMore }: FreedSlots): void => {
    const known = freed.get(account);
    freed.set(account, { account, ms: (known?.ms ?? 0) + ms, isMore: isMore || known?.isMore === true });
  };
  const ring = (): void => {
    bell.ring();
    roomBell.ring();
  };
  /** Slots for which chunks may be taken now. */
  const room = (): number => {
    if (isRefusing || isDraining) return 0;
    let used = starting;
    let waiting = 0;
    for (const work of running) {
      used += work.demand();
      if (work.waitsForSink()) waiting += 1;
    }
    const shortChunks = Math.ceil(deps.shortChunks() * Math.max(1, meanTasks / TASKS_PER_CHUNK));
    if (running.size - waiting >= shortChunks) return 0;
    const ahead = Math.ceil(gate.capacity * AHEAD);
    const free = gate.capacity + ahead - used;
    // While all slots are in use, half of what may be ahead is taken at once: nobody waits for it.
    return used < gate.capacity || free * 2 >= ahead ? Math.max(free, 0) : 0;
  };

  /** Makes some worker look for work, unless a message to do so is in the queue. */
  const callWorkers = (): void => {
    if (calling !== undefined) return;
    calling = setTimeout(() => void call(), Math.max(0, calledAt + CALL_MS - performance.now()));
  };
  const call = async (): Promise<void> => {
    calling = undefined;
    calledAt = performance.now();
    try {
      const { waiting = 0, prioritized = 0 } = await queue.counts(name);
      if (waiting + prioritized === 0) await queue.deliver([turnDelivery(name)]);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'the queue took no message; workers look by themselves');
    }
  };

  const begin = async (chunk: TakenChunk, leasedAt: number, progress: JobProgress): Promise<void> => {
    starting += chunk.slots;
    let isStarting = true;
    const started = (): void => {
      if (isStarting) starting -= chunk.slots;
      isStarting = false;
    };
    try {
      meanTasks += (chunk.seqs.length - meanTasks) * MEAN_WEIGHT;
      const run = await deps.runs.load(chunk.run);
      if (!run) throw new Error(`run ${chunk.run} does not exist`);
      const follow = run.stage && {
        makeChildren: deps.childMakerOf(run),
        carried: needsCarried(run.stage) ? await readCarried(deps, chunk) : [],
      };
      const shown = progress.of(nameOf(chunk), chunk.seqs.length);
      const work = runChunk(
        { ...deps, freed: noteFreed },
        { chunk, run, leasedAt, progress: shown, follow: follow ?? undefined },
      );
      running.add(work);
      started();
      if (isDraining) work.stop('the worker ends');
      await work.ended;
      running.delete(work);
      shown.ended();
    } catch (error) {
      log.warn(
        { err: error, runId: chunk.runId, chunk: chunk.chunk },
        'a chunk did not begin; it is given back',
      );
      await giveBack(chunk);
    } finally {
      started();
      ring();
    }
  };
  const giveBack = async (chunk: TakenChunk): Promise<void> => {
    try {
      await deps.writer.end(
        chunk,
        { succeeded: [], answers: null, failed: [], errors: [] },
        { retries: [], left: chunk.seqs, busyMs: 0 },
      );
      addFreed({ account: chunk.accountId, ms: -chunk.charge, isMore: true });
    } catch (error) {
      if (error instanceof ChunkLostError) return;
      log.warn({ err: error, runId: chunk.runId }, 'a chunk was not given back; its lease will run out');
    }
  };

  /** Takes chunks for the room that there is. Returns how many, and whether further accounts wait. */
  const take = async (into: Shift): Promise<{ count: number; isMore: boolean }> => {
    const given = [...freed.values()];
    freed.clear();
    const leasedAt = performance.now();
    try {
      const taken = await takeChunks(deps, { queue: name, workerId, slots: room(), freed: given });
      for (const slots of given) if (taken.missed.includes(slots.account)) addFreed(slots);
      for (const chunk of taken.chunks) {
        into.chunks.push({ account: chunk.accountId, run: chunk.runId, range: rangeOf(chunk) });
        const member = begin(chunk, leasedAt, into.progress);
        into.members.add(member);
        void member.finally(() => into.members.delete(member));
      }
      if (taken.chunks.length > 0) {
        into.job
          .setData({ kind: 'turn', worker: workerId, chunks: into.chunks.slice(-SHIFT_CHUNKS) })
          .catch(() => undefined);
      }
      return { count: taken.chunks.length, isMore: taken.isMore };
    } catch (error) {
      for (const slots of given) addFreed(slots);
      log.warn({ err: error, queue: name }, 'no chunks could be taken; trying again');
      return { count: 0, isMore: true };
    }
  };

  /** Takes chunks as slots become free, until there is nothing to take or the job has run for long enough. */
  const work = async (into: Shift): Promise<void> => {
    let pauseMs = BUSY_MS;
    while (
      !isDraining &&
      shift === into &&
      into.chunks.length < SHIFT_CHUNKS &&
      performance.now() - into.begunAt < SHIFT_MS
    ) {
      let isBusy = false;
      if (room() > 0 || freed.size > 0) {
        const { count, isMore } = await take(into);
        if (isMore && room() === 0) callWorkers();
        isBusy = isMore && room() > 0;
        pauseMs = count > 0 ? BUSY_MS : Math.min(pauseMs * 2, LOOK_MS);
      }
      if (into.members.size === 0 && freed.size === 0 && !isBusy) break;
      await bell.wait(isBusy ? pauseMs : LOOK_MS);
    }
    if (shift === into) shift = undefined;
    if (freed.size > 0) callWorkers();
    while (into.members.size > 0) await Promise.all(into.members);
    await into.job.end(into.chunks.length > 0).catch(() => undefined);
  };

  const handle = async (job: ClaimedJob): Promise<void> => {
    if (job.payload.kind === 'canary') await noteCanary(deps.db, name);
    if (job.payload.kind === 'turn' && shift === undefined && room() > 0) {
      const into: Shift = {
        job,
        progress: startProgress(job),
        begunAt: performance.now(),
        chunks: [],
        members: new Set(),
      };
      shift = into;
      void work(into).catch((error: unknown) =>
        log.error({ err: error, queue: name }, 'a job ended with an error'),
      );
      return;
    }
    await job.end(false).catch(() => undefined);
    if (job.payload.kind !== 'turn') return;
    if (room() > 0) bell.ring();
    // This worker has become full meanwhile.
    else await queue.deliver([turnDelivery(name)]);
  };

  const serve = async (): Promise<void> => {
    while (!isDraining) {
      if (room() === 0) {
        await roomBell.wait(LOOK_MS);
        continue;
      }
      try {
        const job = await claimer.claim();
        if (job !== undefined) await handle(job);
      } catch (error) {
        // A claim that waits ends with its connection.
        if (isDraining) return;
        log.warn({ err: error, queue: name }, 'no job could be claimed; trying again');
        await roomBell.wait(LOOK_MS);
      }
    }
  };

  /** Finds what nobody called for: a message was lost, or never sent. */
  const look = async (): Promise<void> => {
    if (shift !== undefined || room() === 0) return;
    if ((freed.size > 0 || (await hasTurns(deps, name))) && !(await claimer.isPaused())) callWorkers();
  };
  const stopWhenPaused = async (): Promise<void> => {
    if (shift === undefined) return;
    if (!(await claimer.isPaused())) {
      // A worker without room claims nothing, but it consumes the queue.
      if (performance.now() - provenAt > PROVE_MS) {
        provenAt = performance.now();
        await noteCanary(deps.db, name);
      }
      return;
    }
    shift = undefined;
    for (const chunk of running) chunk.yieldSlots();
    bell.ring();
  };
  const noteFreed = (slots: FreedSlots): void => {
    addFreed(slots);
    if (shift === undefined) callWorkers();
    ring();
  };
  const quietly = (act: () => Promise<void>) => (): void => {
    // The queue or Postgres is away: the next look tries again.
    act().catch(() => undefined);
  };
  const looking = setInterval(quietly(look), LOOK_MS);
  const watching = setInterval(quietly(stopWhenPaused), PAUSE_LOOK_MS);
  void serve();

  return {
    freed: noteFreed,
    refuse: (refuses) => {
      isRefusing = refuses;
      ring();
    },
    drain: (graceMs) => {
      isDraining = true;
      clearInterval(looking);
      clearInterval(watching);
      ring();
      for (const chunk of running) chunk.yieldSlots();
      setTimeout(() => {
        for (const chunk of running) chunk.stop('the worker ends');
      }, graceMs).unref();
    },
    running: () => running.size,
    close: async () => {
      while (running.size > 0 || starting > 0) await roomBell.wait(LOOK_MS);
      await claimer.close();
    },
  };
}

function rangeOf({ seqs }: TakenChunk): string {
  return `${seqs.at(0) ?? '?'}-${seqs.at(-1) ?? '?'}`;
}

function nameOf(chunk: TakenChunk): string {
  return `${chunk.accountId} ${chunk.runId} ${rangeOf(chunk)}`;
}
