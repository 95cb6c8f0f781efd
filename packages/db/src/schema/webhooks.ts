import { ALERT_CHANNELS, DELIVERY_STATES, type ChangeFilter } from '@gleaner/contracts';
import { bigint, boolean, integer, jsonb, text } from 'drizzle-orm/pg-core';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

export const webhooks = gleaner.table('webhooks', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  slug: text(),
  /** The shape of an alert's body; null is a webhook. */
  channel: text({ enum: ALERT_CHANNELS }),
  /** What an alert is called. */
  name: text(),
  /** The address; for an alert, what people may see of it. */
  url: text().notNull(),
  events: text().array().notNull(),
  /** Whether a run that ends is reported only when something failed. */
  onlyFailed: boolean('only_failed').notNull().default(false),
  /** Which changes of rows are reported; null: all. */
  changes: jsonb().$type<ChangeFilter>(),
  /** The owner of an alert's e-mail address has agreed. */
  confirmed: boolean().notNull().default(true),
  /** Sealed: the whsec_ secret, of an alert where it goes. */
  secret: bytes().notNull(),
  isEnabled: boolean('is_enabled').notNull().default(true),
  disabledReason: text('disabled_reason'),
  /** When set, the account no longer sees it; the row is removed after its deliveries. */
  deletedAt: timestamp('deleted_at'),
  /** Failed attempts since the last delivery. After several, it gets one delivery at a time. */
  failures: integer().notNull().default(0),
  failingSince: timestamp('failing_since'),
  /** No delivery begins before. */
  resumesAt: timestamp('resumes_at'),
  createdAt: timestampNow('created_at'),
  updatedAt: timestampNow('updated_at'),
});

/** One per account: signs deliveries to the webhook_url of a single run. */
export const webhookSecrets = gleaner.table('webhook_secrets', {
  accountId: text('account_id').primaryKey(),
  secret: bytes().notNull(),
});

/** One event for one URL: written in the transaction that makes the event true, then sent until it arrives. */
export const outbox = gleaner.table('outbox', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  /** Null: the run itself named the URL. */
  webhookId: text('webhook_id'),
  runId: text('run_id'),
  url: text().notNull(),
  event: text().notNull(),
  /** JSON text, exactly as signed and sent; that of the event `eventNo` counts instead. */
  payload: text().notNull(),
  /** The event whose payload several deliveries share. */
  eventNo: bigint('event_no', { mode: 'number' }),
  state: text({ enum: DELIVERY_STATES }).notNull().default('pending'),
  /** Since creation: the fence of the sender, and what the log shows. */
  attempts: integer().notNull().default(0),
  /** Attempts in the present round: a replay starts a new one. */
  tries: integer().notNull().default(0),
  /** When the present round began. */
  roundAt: timestampNow('round_at'),
  /** Statements set it; a trigger moves it to `dueAt`, which they read. */
  nextAttemptAt: timestamp('next_attempt_at'),
  /** When the next attempt is due. */
  dueAt: timestamp('due_at'),
  responseStatus: integer('response_status'),
  responseBody: text('response_body'),
  error: text(),
  createdAt: timestampNow('created_at'),
  attemptedAt: timestamp('attempted_at'),
  deliveredAt: timestamp('delivered_at'),
  /** While a sender has it under way. */
  claimedUntil: timestamp('claimed_until'),
});

/** A payload that several deliveries share. */
export const webhookEvents = gleaner.table('webhook_events', {
  no: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  payload: text().notNull(),
  createdAt: timestampNow('created_at'),
});
