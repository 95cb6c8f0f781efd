import { sql } from 'drizzle-orm';
import { boolean, index, integer, text } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { bytes, gleaner, timestamp } from './namespace.ts';

export const webhooks = gleaner.table(
  'webhooks',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    url: text().notNull(),
    events: text().array().notNull(),
    /** Sealed whsec_ secret. */
    secret: bytes().notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    disabledReason: text('disabled_reason'),
    /** When set, the account no longer sees it; the row is removed after its deliveries. */
    deletedAt: timestamp('deleted_at'),
    createdAt: timestamp('created_at')
      .notNull()
      .default(sql`now()`),
    updatedAt: timestamp('updated_at')
      .notNull()
      .default(sql`now()`),
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
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Null: the run itself named the URL. */
    webhookId: text('webhook_id').references(() => webhooks.id, { onDelete: 'cascade' }),
    runId: text('run_id'),
    url: text().notNull(),
    event: text().notNull(),
    /** JSON text, exactly as signed and sent. */
    payload: text().notNull(),
    state: text({ enum: ['pending', 'delivered', 'failed'] })
      .notNull()
      .default('pending'),
    /** Since creation: the fence of the sender, and what the log shows. */
    attempts: integer().notNull().default(0),
    /** Attempts in the present round: a replay starts a new one. */
    tries: integer().notNull().default(0),
    /** When the present round began. */
    roundAt: timestamp('round_at')
      .notNull()
      .default(sql`now()`),
    nextAttemptAt: timestamp('next_attempt_at'),
    responseStatus: integer('response_status'),
    responseBody: text('response_body'),
    error: text(),
    createdAt: timestamp('created_at')
      .notNull()
      .default(sql`now()`),
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
    index('outbox_account').on(table.accountId, table.id),
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
