import { hasTurns, noteCanary, type FreedSlots, callWorker, type Logger } from '@gleaner/core';
import {
  turnDelivery,
  type ClaimedJob,
  type Claimer,
  type QueueName,
  type QueueBackend,
} from '@gleaner/queue';
import type { ChunkDeps } from '../running/chunk-work.ts';
import { createRunningChunks, type RunningChunks } from './running-chunks.ts';
import { startShift, type Shift } from './shift.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** How often a worker puts a message into the queue, at most. */
const CALL_MS = 100;

/** Returns a function that makes some worker look for work soon, unless a message to do so is in the queue. */
function createCaller(queue: QueueBackend, name: QueueName, log: Logger): () => void {
  let calledAt = -Infinity;
  let calling: NodeJS.Timeout | undefined;
  const call = async (): Promise<void> => {
    calling = undefined;
    calledAt = performance.now();
    try {
      await callWorker(queue, name);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'the queue took no message; workers look by themselves');
    }
  };
  return () => {
    calling ??= setTimeout(() => void call(), Math.max(0, calledAt + CALL_MS - performance.now()));
  };
}

/** Lets one loop wait for an event of others, or for a time. */
interface Bell {
  ring: () => void;
  /** Resolves at the next ring, or after `ms`. A ring while nobody waits counts for the next wait. */
  wait: (ms: number) => Promise<void>;
}

function createBell(): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    wait: async (ms) => {
      await delay(ms, undefined, { signal: rung.signal }).catch(() => undefined);
      rung = new AbortController();
    },
  };
}

/** A worker that nobody calls looks for work this often. */
const LOOK_MS = 1_000;
/** How often a worker asks whether an operator has paused the queue. */
const PAUSE_LOOK_MS = 400;
/** The first pause after a look that found only accounts whose rows others held; it doubles up to LOOK_MS. */
const BUSY_MS = 20;
/** How often a worker at work records that it consumes the queue. */
const PROVE_MS = 5_000;

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

interface Taker {
  readonly deps: Omit<ChunkDeps, 'freed'>;
  readonly name: QueueName;
  readonly claimer: Claimer;
  readonly chunks: RunningChunks;
  /** Rings when something changes for the shift. */
  readonly bell: Bell;
  /** Rings when something changes for who claims jobs. */
  readonly roomBell: Bell;
  readonly freed: FreedSlots[];
  readonly callWorkers: () => void;
  /** What takes chunks now; others wait for the end of theirs. */
  shift: Shift | undefined;
  /** The statement that takes chunks, or the last one. */
  taking: Promise<unknown>;
  isClosed: boolean;
  isDraining: boolean;
  provenAt: number;
}

function ring({ bell, roomBell }: Taker): void {
  bell.ring();
  roomBell.ring();
}

function roomOf({ isClosed, chunks }: Taker): number {
  return isClosed ? 0 : chunks.room();
}

/** Takes chunks as slots become free, until there is nothing to take or the job has lasted long enough. */
async function work(taker: Taker, own: Shift): Promise<void> {
  const { freed, bell, callWorkers } = taker;
  let pauseMs = BUSY_MS;
  let hasCalledOthers = false;
  while (taker.shift === own && !taker.isClosed && own.isLasting()) {
    let isBusy = false;
    if (roomOf(taker) > 0 || freed.length > 0) {
      const taking = own.take();
      taker.taking = taking;
      const { count, isMore } = await taking;
      // What a full worker leaves. Once a shift: a message costs more than a look, and others look by themselves.
      if (isMore && roomOf(taker) === 0 && !hasCalledOthers) {
        hasCalledOthers = true;
        callWorkers();
      }
      isBusy = isMore && roomOf(taker) > 0;
      pauseMs = count > 0 ? BUSY_MS : Math.min(pauseMs * 2, LOOK_MS);
    }
    if (!own.hasChunks() && freed.length === 0 && !isBusy) break;
    await bell.wait(isBusy ? pauseMs : LOOK_MS);
  }
  if (taker.shift === own) taker.shift = undefined;
  if (freed.length > 0 || roomOf(taker) > 0) taker.roomBell.ring();
  if (freed.length > 0 && !taker.isDraining) callWorkers();
  await own.end();
}

async function handle(taker: Taker, job: ClaimedJob): Promise<void> {
  const { deps, name, chunks, freed } = taker;
  if (job.payload.kind === 'turn' && taker.shift === undefined && roomOf(taker) > 0) {
    const own = startShift({ deps, queue: name, job, chunks, freed, onEnd: () => ring(taker) });
    taker.shift = own;
    void work(taker, own).catch((error: unknown) =>
      deps.log.error({ err: error, queue: name }, 'a shift failed'),
    );
    return;
  }
  if (job.payload.kind === 'canary') await noteCanary(deps.db, name);
  await job.end(false).catch(() => undefined);
  if (job.payload.kind !== 'turn') return;
  if (roomOf(taker) > 0) taker.bell.ring();
  // This worker has become full since it asked for a job.
  else await deps.queue.deliver([turnDelivery(name)]);
}

/** Claims jobs while this worker has room. */
async function serve(taker: Taker): Promise<void> {
  const { deps, name, claimer, roomBell } = taker;
  while (!taker.isDraining) {
    if (roomOf(taker) === 0) {
      await roomBell.wait(LOOK_MS);
      continue;
    }
    try {
      const job = await claimer.claim();
      if (job !== undefined) await handle(taker, job);
    } catch (error) {
      // A claim that waits ends with its connection.
      if (taker.isDraining) return;
      deps.log.warn({ err: error, queue: name }, 'no job could be claimed; trying again');
      await roomBell.wait(LOOK_MS);
    }
  }
}

/** Finds what nobody called for: a message was lost, or never sent. */
async function look(taker: Taker): Promise<void> {
  const { deps, name, claimer, freed } = taker;
  if (taker.shift !== undefined || roomOf(taker) === 0) return;
  if ((freed.length > 0 || (await hasTurns(deps, name))) && !(await claimer.isPaused())) taker.callWorkers();
}

/** Stops the work of a queue that is paused, and proves that a worker at work consumes its queue. */
async function watch(taker: Taker): Promise<void> {
  if (taker.shift === undefined) return;
  if (await taker.claimer.isPaused()) {
    taker.shift = undefined;
    taker.chunks.yieldSlots();
    ring(taker);
  } else if (performance.now() - taker.provenAt > PROVE_MS) {
    // A worker without room claims nothing, but it consumes the queue.
    taker.provenAt = performance.now();
    await noteCanary(taker.deps.db, taker.name);
  }
}

function repeat(act: () => Promise<void>, everyMs: number): NodeJS.Timeout {
  // The queue or Postgres is away: the next time tries again.
  return setInterval(() => void act().catch(() => undefined), everyMs);
}

/**
 * Takes chunks for the free slots of this worker, in BullMQ jobs: a job says that accounts wait, the worker that claims it takes
 * their chunks in one statement, and goes on with the job as long as slots become free, for some seconds. A queue that an
 * operator pauses gives no job, and stops what runs.
 */
export function createTurnTaker(
  deps: Omit<ChunkDeps, 'freed'>,
  name: QueueName,
  claimer: Claimer,
): TurnTaker {
  const noteFreed = (slots: FreedSlots): void => {
    taker.freed.push(slots);
    if (taker.shift === undefined && !taker.isDraining) taker.callWorkers();
    ring(taker);
  };
  const chunks = createRunningChunks(deps, noteFreed);
  const taker: Taker = {
    deps,
    name,
    claimer,
    chunks,
    bell: createBell(),
    roomBell: createBell(),
    freed: [],
    callWorkers: createCaller(deps.queue, name, deps.log),
    shift: undefined,
    taking: Promise.resolve(),
    isClosed: false,
    isDraining: false,
    provenAt: -Infinity,
  };
  const looking = repeat(() => look(taker), LOOK_MS);
  const watching = repeat(() => watch(taker), PAUSE_LOOK_MS);
  void serve(taker);

  return {
    freed: noteFreed,
    refuse: (isRefusing) => {
      taker.isClosed = isRefusing || taker.isDraining;
      ring(taker);
    },
    drain: (graceMs) => {
      taker.isDraining = true;
      taker.isClosed = true;
      clearInterval(looking);
      clearInterval(watching);
      ring(taker);
      chunks.yieldSlots();
      setTimeout(() => chunks.stop('the worker ends'), graceMs).unref();
    },
    running: chunks.count,
    close: async () => {
      // What is taken at this moment would be begun by a worker that has ended.
      await taker.taking;
      chunks.yieldSlots();
      while (chunks.count() > 0) await taker.roomBell.wait(LOOK_MS);
      chunks.close();
      await claimer.close();
    },
  };
}
