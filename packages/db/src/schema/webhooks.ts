import { DELIVERY_STATES } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, text } from 'drizzle-orm/pg-core';
import { accounts, ownerColumn } from './accounts.ts';
import { bytes, gleaner, timestamp, timestampNow } from './namespace.ts';

export const webhooks = gleaner.table(
  'webhooks',
  {
    id: text().primaryKey(),
    accountId: ownerColumn(),
    url: text().notNull(),
    events: text().array().notNull(),
    /** Sealed whsec_ secret. */
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
  },
  (table) => [
    index('webhooks_account').on(table.accountId, table.id),
    index('webhooks_deleted')
      .on(table.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);

/** One per account: signs deliveries to the webhook_url of a single run. */
export const webhookSecrets = gleaner.table('webhook_secrets', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  secret: bytes().notNull(),
});

/** One event for one URL: written in the transaction that makes the event true, then sent until it arrives. */
export const outbox = gleaner.table(
  'outbox',
  {
    id: text().primaryKey(),
    accountId: ownerColumn(),
    /** Null: the run itself named the URL. */
    webhookId: text('webhook_id').references(() => webhooks.id, { onDelete: 'cascade' }),
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
  },
  (table) => [
    index('outbox_due')
      .on(table.nextAttemptAt)
      .where(sql`state = 'pending'`),
    index('outbox_claimed')
      .on(table.claimedUntil)
      .where(sql`state = 'pending' and claimed_until is not null`),
    index('outbox_lane')
      .on(sql`coalesce(webhook_id, account_id)`, table.dueAt)
      .where(sql`state = 'pending'`),
    index('outbox_under_way')
      .on(table.accountId, table.claimedUntil)
      .where(sql`state = 'pending' and claimed_until is not null`),
    index('outbox_due_at')
      .on(table.dueAt)
      .where(sql`state = 'pending'`),
    index('outbox_event')
      .on(table.eventNo)
      .where(sql`event_no is not null`),
    index('outbox_account').on(table.accountId, table.id),
    index('outbox_list_state').on(table.accountId, table.state, table.id),
    index('outbox_webhook')
      .on(table.webhookId, table.id)
      .where(sql`webhook_id is not null`),
    index('outbox_run')
      .on(table.runId)
      .where(sql`run_id is not null`),
    index('outbox_finished')
      .on(table.createdAt)
      .where(sql`state <> 'pending'`),
  ],
);

/** A payload that several deliveries share. */
export const webhookEvents = gleaner.table(
  'webhook_events',
  {
    no: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    payload: text().notNull(),
    createdAt: timestampNow('created_at'),
  },
  (table) => [index('webhook_events_created').on(table.createdAt)],
);

/** A row per account with deliveries: none can be claimed before `dueAt`. Triggers wake it. */
export const webhookLanes = gleaner.table(
  'webhook_lanes',
  {
    accountId: text('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    dueAt: timestamp('due_at'),
  },
  (table) => [
    index('webhook_lanes_due')
      .on(table.dueAt)
      .where(sql`due_at is not null`),
  ],
);
