import {
  beat,
  createAccount,
  chunkDuties,
  createCarriedReader,
  createChunkWriter,
  createId,
  createLogger,
  createNumbering,
  createRunCache,
  createStorageWatch,
  HEARTBEAT_MS,
  loadConfig,
  prepareDatabase,
  startPeriodicTask,
  type TaskOutcome,
} from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { batchQueue, createQueueBackend, type QueueBackend } from '@gleaner/queue';
import { openCancellations } from '../../apps/worker/src/cancellations.ts';
import { createHeldAnswers } from '../../apps/worker/src/chunks/running/sinks.ts';
import { createChildMakers } from '../../apps/worker/src/chunks/taking/follow.ts';
import { createTurnTaker } from '../../apps/worker/src/chunks/taking/take-turns.ts';
import { createLargeWrites } from '../../apps/worker/src/load/large-writes.ts';
import { createOutcomeBudget } from '../../apps/worker/src/load/outcome-budget.ts';
import { createSlotGate } from '../../apps/worker/src/load/slot-gate.ts';
import { openServices } from './open-services.ts';

/** About 300 bytes of extracted data. */
const ANSWER = JSON.stringify({
  title: 'Blue kettle',
  price: 1234.5,
  tags: ['a', 'b'],
  text: 'x'.repeat(220),
});

/** A page that was fetched and extracted at no cost. */
export function madeAnswer(url: string): TaskOutcome {
  return {
    ok: true,
    answer: ANSWER,
    finalUrl: url,
    httpStatus: 200,
    fetchedAt: '2026-01-01T00:00:00.000Z',
    bytes: 10_000,
  };
}

export interface EngineWorld {
  db: Database;
  queue: QueueBackend;
  /** Starts a worker in this process. @param page what it does in place of a fetch */
  startWorker(capacity: number, page: (url: string) => Promise<TaskOutcome>): Promise<void>;
  openAccount(concurrency: number): Promise<string>;
  /** CPU so far in ms: of this process, Postgres and Redis. */
  cpu(): [own: number, postgres: number, redis: number];
  close(): Promise<void>;
}

/** The engine without fetching: a Postgres, a queue, a sweeper, and workers in this process. */
export async function openEngineWorld(backend: string): Promise<EngineWorld> {
  const services = await openServices(backend);
  const { databaseUrl, redisUrl } = services;
  await prepareDatabase(databaseUrl);
  const log = createLogger('bench', 'warn');
  const db = createDatabase(databaseUrl, { max: 4 });
  const queue = await createQueueBackend({ redisUrl, databaseUrl, log });
  const cancellations = await openCancellations({ db, queue });
  const duties = chunkDuties({ db, queue, log }).map(({ name, everyMs, run }) =>
    startPeriodicTask({ name, everyMs, log }, run),
  );
  const closing: (() => Promise<void>)[] = [];
  return {
    db,
    queue,
    startWorker: async (capacity, page) => {
      const workerId = createId('worker');
      // As a worker has for its batches. More would keep a plan of each statement each.
      const workerDb = createDatabase(databaseUrl, { max: 3 });
      const live = (): Promise<void> =>
        beat(db, { workerId, engines: ['http'], refuses: null, capacity: { http: capacity } });
      await live();
      const beating = setInterval(() => void live().catch(() => undefined), HEARTBEAT_MS);
      const name = batchQueue('http');
      const taker = createTurnTaker(
        {
          db: workerDb,
          queue,
          log,
          workerId,
          clock: { now: Date.now },
          executor: { execute: (spec) => page(String(spec.input.url)) },
          crawler: { execute: () => Promise.reject(new Error('no crawl here')) },
          known: { refresh: () => undefined },
          runs: createRunCache(workerDb),
          writer: createChunkWriter({ db: workerDb, queue, log }, workerId),
          gate: createSlotGate(capacity),
          shortChunks: () => Infinity,
          cancellations,
          heldAnswers: createHeldAnswers(),
          outcomes: createOutcomeBudget(),
          storage: createStorageWatch(workerDb, loadConfig({})),
          largeWrites: createLargeWrites(),
          readCarriedValues: createCarriedReader({ db: workerDb }),
          judge: (_run, _task, outcome) => Promise.resolve(outcome),
          pages: { returnsBody: () => false, offer: () => undefined },
          savedPage: () => Promise.reject(new Error('no kept pages here')),
          childMakerOf: createChildMakers(loadConfig({}).sites),
          numbering: createNumbering({ db: workerDb, queue, log }),
          openSink: () => {
            throw new Error('no sink here');
          },
          count: () => undefined,
        },
        name,
        queue.claimer(name),
      );
      closing.push(async () => {
        clearInterval(beating);
        taker.drain(0);
        await taker.close();
        await workerDb.close();
      });
    },
    openAccount: async (concurrency) => {
      const { account } = await createAccount(db, {
        name: createId('worker'),
        credits: 100_000_000,
        concurrency,
        pendingLimit: 2_000_000,
      });
      return account.id;
    },
    cpu: () => {
      const own = process.cpuUsage();
      const { postgres, redis } = services.cpu();
      return [(own.user + own.system) / 1_000, postgres, redis];
    },
    close: async () => {
      await Promise.all(closing.map((close) => close()));
      await Promise.all(duties.map((duty) => duty.stop()));
      await cancellations.close();
      await queue.close();
      await db.close();
      await services.stop();
    },
  };
}
