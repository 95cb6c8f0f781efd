import { FIRING_CAUSES, FIRING_OUTCOMES, OVERLAPS } from '@gleaner/contracts';
import { bigint, boolean, integer, json, jsonb, text } from 'drizzle-orm/pg-core';
import { gleaner, timestamp, timestampNow } from './namespace.ts';

/** A target, its inputs and the schedule on which it runs. */
export const crons = gleaner.table('crons', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  slug: text(),
  name: text().notNull(),
  description: text().notNull(),
  /** The only input of a parser. Null: `inputs` has them. */
  url: text(),
  inputs: json(),
  inputCount: integer('input_count').notNull(),
  schedule: text().notNull(),
  timezone: text().notNull(),
  /** CronTarget of packages/contracts. */
  target: jsonb().notNull(),
  scrapeConfig: jsonb('scrape_config').notNull(),
  sink: jsonb(),
  isEnabled: boolean('is_enabled').notNull(),
  overlap: text({ enum: OVERLAPS }).notNull(),
  catchupSeconds: integer('catchup_seconds'),
  pauseAfterFailures: integer('pause_after_failures').notNull(),
  maxCredits: bigint('max_credits', { mode: 'number' }),
  /** Null exactly while the cron is not enabled. */
  nextFireAt: timestamp('next_fire_at'),
  /** A scheduler process holds it until then; other processes skip it. */
  leasedUntil: timestamp('leased_until'),
  /** Failed firings in a row. */
  failures: integer().notNull().default(0),
  pausedReason: text('paused_reason'),
  /** Counts changes, so that the queue learns of each. */
  definition: integer().notNull().default(1),
  /** The queue's scheduler has the present definition. */
  isMirrored: boolean('is_mirrored').notNull().default(false),
  createdAt: timestampNow('created_at'),
  updatedAt: timestampNow('updated_at'),
  /** KeepPages of packages/contracts; null: the default. */
  keepPages: text('keep_pages'),
  /** Carry of packages/contracts; null: nothing. */
  carry: jsonb(),
  /** Names the cron in `source_marks`. */
  no: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
  /** SourceField of packages/contracts, in place of `url` and `inputs`. */
  source: jsonb(),
  /** `last_run`, or a time; null: everything. */
  since: text(),
  /** The key that last changed it. */
  keyId: text('key_id'),
});

/** One due time of a cron, or one trigger, with its outcome and its run. */
export const cronFirings = gleaner.table('cron_firings', {
  id: text().primaryKey(),
  cronId: text('cron_id').notNull(),
  accountId: text('account_id').notNull(),
  scheduledAt: timestamp('scheduled_at').notNull(),
  /** When it was decided; null for those that wait or were missed. */
  firedAt: timestamp('fired_at'),
  outcome: text({ enum: FIRING_OUTCOMES }).notNull(),
  reason: text(),
  runId: text('run_id'),
  cause: text({ enum: FIRING_CAUSES }).notNull(),
  /** Whether the run has not been seen to end yet. */
  isLive: boolean('is_live').notNull().default(false),
});
