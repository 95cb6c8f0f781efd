import { hasTurns, noteCanary, type FreedSlots } from '@gleaner/core';
import { turnDelivery, type ClaimedJob, type Claimer, type QueueName } from '@gleaner/queue';
import { createBell } from './bell.ts';
import { createCaller } from './call-workers.ts';
import type { ChunkDeps } from './chunk-work.ts';
import { createRunningChunks } from './running-chunks.ts';
import { startShift, type Shift } from './shift.ts';

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
  const { log, queue } = deps;
  /** Rings when something changes for the shift, and for who claims jobs. */
  const bell = createBell();
  const roomBell = createBell();
  const freed: FreedSlots[] = [];
  const callWorkers = createCaller(queue, name, log);
  /** What takes chunks now; others wait for the end of theirs. */
  let shift: Shift | undefined;
  let isClosed = false;
  let isDraining = false;
  let provenAt = -Infinity;

  const ring = (): void => {
    bell.ring();
    roomBell.ring();
  };
  const noteFreed = (slots: FreedSlots): void => {
    freed.push(slots);
    if (shift === undefined && !isDraining) callWorkers();
    ring();
  };
  const chunks = createRunningChunks(deps, noteFreed);
  const room = (): number => (isClosed ? 0 : chunks.room());

  /** Takes chunks as slots become free, until there is nothing to take or the job has lasted long enough. */
  const work = async (own: Shift): Promise<void> => {
    let pauseMs = BUSY_MS;
    let hasCalledOthers = false;
    while (shift === own && !isClosed && own.isLasting()) {
      let isBusy = false;
      if (room() > 0 || freed.length > 0) {
        const { count, isMore } = await own.take();
        // What a full worker leaves. Once a shift: a message costs more than a look, and others look by themselves.
        if (isMore && room() === 0 && !hasCalledOthers) {
          hasCalledOthers = true;
          callWorkers();
        }
        isBusy = isMore && room() > 0;
        pauseMs = count > 0 ? BUSY_MS : Math.min(pauseMs * 2, LOOK_MS);
      }
      if (!own.hasChunks() && freed.length === 0 && !isBusy) break;
      await bell.wait(isBusy ? pauseMs : LOOK_MS);
    }
    if (shift === own) shift = undefined;
    if (freed.length > 0 || room() > 0) roomBell.ring();
    if (freed.length > 0 && !isDraining) callWorkers();
    await own.end();
  };

  const handle = async (job: ClaimedJob): Promise<void> => {
    if (job.payload.kind === 'turn' && shift === undefined && room() > 0) {
      const own = startShift({ deps, queue: name, job, chunks, freed, onEnd: ring });
      shift = own;
      void work(own).catch((error: unknown) => log.error({ err: error, queue: name }, 'a shift failed'));
      return;
    }
    if (job.payload.kind === 'canary') await noteCanary(deps.db, name);
    await job.end(false).catch(() => undefined);
    if (job.payload.kind !== 'turn') return;
    if (room() > 0) bell.ring();
    // This worker has become full since it asked for a job.
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
    if ((freed.length > 0 || (await hasTurns(deps, name))) && !(await claimer.isPaused())) callWorkers();
  };
  const watch = async (): Promise<void> => {
    if (shift === undefined) return;
    if (await claimer.isPaused()) {
      shift = undefined;
      chunks.yieldSlots();
      ring();
    } else if (performance.now() - provenAt > PROVE_MS) {
      // A worker without room claims nothing, but it consumes the queue.
      provenAt = performance.now();
      await noteCanary(deps.db, name);
    }
  };
  const quietly = (act: () => Promise<void>) => (): void => {
    // The queue or Postgres is away: the next look tries again.
    act().catch(() => undefined);
  };
  const looking = setInterval(quietly(look), LOOK_MS);
  const watching = setInterval(quietly(watch), PAUSE_LOOK_MS);
  void serve();

  return {
    freed: noteFreed,
    refuse: (isRefusing) => {
      isClosed = isRefusing || isDraining;
      ring();
    },
    drain: (graceMs) => {
      isDraining = true;
      isClosed = true;
      clearInterval(looking);
      clearInterval(watching);
      ring();
      chunks.yieldSlots();
      setTimeout(() => chunks.stop('the worker ends'), graceMs).unref();
    },
    running: chunks.count,
    close: async () => {
      while (chunks.count() > 0) await roomBell.wait(LOOK_MS);
      chunks.close();
      await claimer.close();
    },
  };
}
