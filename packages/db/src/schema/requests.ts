import { integer, json, jsonb, text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

/**
 * An interactive task: one target with one input. An API process waits for its answer. Also the lease of a
 * slot for work that the API does itself (`kind` slot). Rows are removed some minutes after they ended.
 */
export const requests = gleaner.table('requests', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  kind: text({ enum: ['task', 'slot'] }).notNull(),
  /** waiting: for a slot; queued: owns its slot. */
  state: text({ enum: ['waiting', 'queued', 'running', 'succeeded', 'failed', 'cancelled'] }).notNull(),
  /** Queue that carries it. */
  queue: text().notNull(),
  attempt: integer().notNull().default(1),
  price: integer().notNull(),
  /** TaskSpec of packages/core: target, input, scrape_config, explain. */
  spec: json(),
  /** Instance of the API process that waits. */
  waiter: text(),
  workerId: text('worker_id'),
  leaseUntil: timestamp('lease_until').notNull(),
  deadlineAt: timestamp('deadline_at').notNull(),
  /** The answer's body as JSON text. */
  answer: text(),
  error: jsonb(),
  createdAt: timestampNow('created_at'),
  startedAt: timestamp('started_at'),
  finishedAt: timestamp('finished_at'),
  /** The reference of the ledger entry that charges it; null without a charge. */
  chargedIn: text('charged_in'),
});

/** One row per (account, key): claims, then keeps the first answer of, a creating request. */
export const idempotencyKeys = gleaner.table('idempotency_keys', {
  accountId: text('account_id').notNull(),
  key: text().notNull(),
  operation: text().notNull(),
  requestDigest: bytes('request_digest').notNull(),
  /** Digest of an upload's content, known when it was received. */
  uploadDigest: bytes('upload_digest'),
  /** Null while the first request is under way. */
  status: integer(),
  answer: json(),
  /** After this, another process takes over the claim of a process that died. */
  leaseUntil: timestamp('lease_until').notNull(),
  createdAt: timestampNow('created_at'),
});

/** Heartbeats: one row per live worker or scheduler process. */
export const workers = gleaner.table('workers', {
  id: text().primaryKey(),
  /** Fetch engines it serves: http, browser; none for a scheduler. */
  engines: text().array().notNull(),
  pid: integer().notNull(),
  host: text().notNull(),
  startedAt: timestampNow('started_at'),
  seenAt: timestampNow('seen_at'),
  /** Why it takes no work now, if so. */
  refuses: text(),
  /** Tasks of batches that it runs at once; null when it serves no such queue. */
  httpCapacity: integer('http_capacity'),
  browserCapacity: integer('browser_capacity'),
  /** Metrics of the worker as prom-client's JSON: /metrics of the API shows them. */
  metrics: jsonb(),
});

/** When a canary job of each queue was last consumed; /readyz reads it. */
export const canaries = gleaner.table('canaries', {
  queue: text().primaryKey(),
  consumedAt: timestamp('consumed_at').notNull(),
});

/** Small facts that processes share, for example the queue's epoch. */
export const settings = gleaner.table('settings', {
  name: text().primaryKey(),
  value: text().notNull(),
});
