import { RESULT_MODES, RUN_KINDS, RUN_STATES } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  jsonb,
  real,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { gleaner, timestamp, timestampNow } from './namespace.ts';

/** More digits than a JavaScript number holds exactly: text everywhere outside SQL. */
export function runNumber(name: string) {
  return bigint(name, { mode: 'bigint' });
}

/** Asynchronous work that an account submits: a job, a batch or a workflow run. */
export const runs = gleaner.table('runs', {
  id: text().primaryKey(),
  /** Milliseconds since the epoch, 20 bits up, and 20 random bits: the small, time-ordered key of tasks and results. */
  no: runNumber('no').notNull(),
  accountId: text('account_id').notNull(),
  /** A workflow run is the root of its stages: the tasks belong to the stages. */
  kind: text({ enum: [...RUN_KINDS, 'stage'] }).notNull(),
  name: text(),
  state: text({ enum: RUN_STATES }).notNull(),
  mode: text({ enum: RESULT_MODES }).notNull(),
  queue: text().notNull(),
  /** TaskTarget of packages/core. */
  target: jsonb().notNull(),
  /** Merged scrape_config, its headers and cookies encrypted (`StoredConfig` of packages/core). */
  config: jsonb().notNull(),
  sink: jsonb(),
  webhookUrl: text('webhook_url'),
  /** Further attempts of a task after a failure that a later attempt may avoid. */
  retries: smallint().notNull(),
  /** Credits of one success. */
  price: integer().notNull(),
  /** Most successes that may be charged: `max_credits / price`, or `total`. */
  budget: integer().notNull(),
  total: integer().notNull(),
  /** Tasks below this number have been cut off into chunks. */
  carved: integer().notNull().default(0),
  nextChunk: integer('next_chunk').notNull().default(0),
  /** Tasks in chunks that did not fail permanently: each may still be charged. */
  held: integer().notNull().default(0),
  /** Whether fetched pages of the run wait for the sink's database. Workers fetch no further pages of it meanwhile. */
  waitsForSink: boolean('waits_for_sink').notNull().default(false),
  /** May be cut into chunks now: it has tasks that are in no chunk yet, and its budget has room for them. */
  isOpen: boolean('is_open')
    .notNull()
    .generatedAlwaysAs(
      sql`state in ('pending', 'running') and carved < total and succeeded + held < budget and not waits_for_sink`,
    ),
  /** When it last got slots (at first: its creation), in microseconds since the epoch. The least of an account is next. */
  lastServed: bigint('last_served', { mode: 'number' }).notNull(),
  /** How long a task lasts, smoothed: sizes chunks. */
  taskMs: real('task_ms'),
  /** Counts of finished slices; add the counts that live chunks have flushed. */
  succeeded: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  cancelled: integer().notNull().default(0),
  reserved: bigint({ mode: 'number' }).notNull().default(0),
  used: bigint({ mode: 'number' }).notNull().default(0),
  createdAt: timestampNow('created_at'),
  startedAt: timestamp('started_at'),
  finishedAt: timestamp('finished_at'),
  expiresAt: timestamp('expires_at'),
  /** Set for a stage: the workflow run that it belongs to. */
  rootNo: runNumber('root_no'),
});

/** One target with one input. Never updated; removed with its partition. */
export const tasks = gleaner.table('tasks', {
  runNo: runNumber('run_no').notNull(),
  /** Index in the input, from 0. */
  seq: integer().notNull(),
  /** The bare URL, or JSON text for prebuilt APIs; one line. */
  input: text().notNull(),
  /** For a task of a stage: the task with the result that gave this input. Null for inputs of the run itself. */
  parentNo: runNumber('parent_no'),
  parentSeq: integer('parent_seq'),
  /** Set for a stage's task: values of its ancestors, as JSON text. */
  carried: text(),
  /** MD5 of the input in stages that take results: an input is in a stage once. */
  key: uuid(),
});

/** One outcome per task: the gate through which each passes once. */
export const results = gleaner.table('results', {
  runNo: runNumber('run_no').notNull(),
  seq: integer().notNull(),
  credits: integer().notNull(),
  attempts: smallint().notNull(),
  ok: boolean().notNull(),
  /** JSON text, compressed; null in database mode and for failures. */
  answer: text(),
  /** StoredError */
  error: jsonb(),
  /** TaskPhases of packages/contracts: of failures, and of the one task of a job. */
  phases: jsonb(),
});

/**
 * An account's turn in a queue of batches (docs/build/engine.md). A look-up takes the row with the highest `tick`: while a long
 * transaction is open, Postgres keeps all old versions.
 */
export const turns = gleaner.table('turns', {
  accountId: text('account_id').notNull(),
  queue: text().notNull(),
  /** Grows with each change. */
  tick: bigint({ mode: 'number' }).notNull().default(0),
  /** ready: it may have work; full: its slots are in use; idle: it has nothing to take before `due_at`. */
  state: text({ enum: ['ready', 'full', 'idle'] })
    .notNull()
    .default('idle'),
  /** Slot-milliseconds that its chunks had, or that it missed while it had no work. */
  served: doublePrecision().notNull().default(0),
  /** When its next retry is due. */
  dueAt: timestamp('due_at'),
  /** No open run was served earlier; microseconds since the epoch. */
  runFloor: bigint('run_floor', { mode: 'number' }).notNull().default(0),
  /** No running chunk was seen earlier; of the queue `batch-http`, for both queues. */
  chunkFloor: bigint('chunk_floor', { mode: 'number' }).notNull().default(0),
});

/**
 * A slice of a run that is under way or was given back. A chunk is cut off when a worker takes it and deleted
 * when it is done, so the table stays as small as the work in hand.
 */
export const chunks = gleaner.table('chunks', {
  runNo: runNumber('run_no').notNull(),
  chunk: integer().notNull(),
  accountId: text('account_id').notNull(),
  queue: text().notNull(),
  /** pending: waits to be taken (and for not_before); running: a worker has it. `admitted` is of earlier versions. */
  state: text({ enum: ['pending', 'admitted', 'running'] }).notNull(),
  /** The fence: grows with each take; `token` is that of the taking call. */
  attempt: integer().notNull().default(0),
  token: bigint({ mode: 'number' }).notNull().default(0),
  slots: integer().notNull().default(0),
  /** How often its tasks failed before. */
  tries: smallint().notNull().default(0),
  /** Workers that died with it. */
  deaths: smallint().notNull().default(0),
  /** How often a worker began it since it was last given back in order. */
  starts: smallint().notNull().default(0),
  fromSeq: integer('from_seq').notNull(),
  /** Exclusive. */
  toSeq: integer('to_seq').notNull(),
  /** The tasks of the chunk when they are not the whole range. */
  seqs: integer().array(),
  /** Tasks without an outcome. */
  remaining: integer().notNull(),
  /** Outcomes that are flushed but not yet charged and counted in the run. */
  succeeded: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  /** Outcomes that its worker holds until the sink's database takes them. */
  waitingForSink: integer('waiting_for_sink').notNull().default(0),
  workerId: text('worker_id'),
  leaseUntil: timestamp('lease_until'),
  notBefore: timestampNow('not_before'),
  /** Why it waits until then, in words; null when it doesn't, and of chunks of earlier versions. */
  waitsFor: text('waits_for'),
  deliveredAt: timestamp('delivered_at'),
  deliveries: smallint().notNull().default(0),
  /** When it got slots, in microseconds since the epoch; renewed while it runs. */
  seenAt: bigint('seen_at', { mode: 'number' })
    .notNull()
    .default(sql`(extract(epoch from clock_timestamp()) * 1000000)::bigint`),
});
