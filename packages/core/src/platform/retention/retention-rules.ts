import { ENGINE, type Executor } from '@gleaner/db';
import { sql, type SQL } from 'drizzle-orm';
import type { Settings } from '../config/settings.ts';

export type RetentionConfig = Pick<Settings, 'keepRunsDays' | 'keepDeliveriesDays' | 'keepLedgerDays'>;

/** One kind of record that is removed some time after its end. Several processes may remove them at once. */
export interface RetentionRule {
  kind: string;
  keepMs: number;
  /**
   * Removes at most `limit` records, the oldest, that ended before now minus `keepMs`. Those that somebody has locked wait for
   * the next call.
   * @returns how many there were
   */
  remove(db: Executor, keepMs: number, limit: number): Promise<number>;
}

/**
 * Statements of a rule: the first one removes or returns a row for each record that it removes.
 * @param before constant while a statement runs, so that it is a condition of indexes
 */
type Statements = (before: SQL, limit: number) => SQL[];

const DAY_MS = 86_400_000;
/** An API process that lost its connection reads an answer again within this time. */
const KEEP_REQUESTS_MS = 600_000;
/** Crons list them; decisions.md promises 90 days. */
const KEEP_FIRINGS_MS = 90 * DAY_MS;

/** Removes deliveries of deleted webhooks, then the webhooks that have none left. */
const removeDeletedWebhooks: Statements = (_before, limit) => [
  sql`
    DELETE FROM gleaner.outbox WHERE id = ANY (ARRAY(
      SELECT o.id FROM gleaner.webhooks w JOIN gleaner.outbox o ON o.webhook_id = w.id
      WHERE w.deleted_at IS NOT NULL LIMIT ${limit} FOR UPDATE OF o SKIP LOCKED))`,
  sql`
    DELETE FROM gleaner.webhooks w WHERE w.deleted_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM gleaner.outbox o WHERE o.webhook_id = w.id)`,
];

/**
 * Requests that ended together leave together, so more than `limit` may: the audit compares the sum of a group with the entry
 * that charges it.
 */
const removeRequests: Statements = (before, limit) => [
  sql`
    DELETE FROM gleaner.requests WHERE id = ANY (ARRAY(
      SELECT r.id FROM gleaner.requests r WHERE r.finished_at < ${before}
      ORDER BY r.finished_at FETCH FIRST ${limit} ROWS WITH TIES))`,
];

/** Identifiers of firings begin with the time of their creation. */
const removeFirings: Statements = (before, limit) => [
  sql`
    DELETE FROM gleaner.cron_firings WHERE id = ANY (ARRAY(
      SELECT f.id FROM gleaner.cron_firings f
      WHERE f.id < (SELECT ${sql.identifier(ENGINE)}.create_id('fir', ${before})) AND f.outcome <> 'queued' AND NOT f.is_live
      ORDER BY f.id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
];

const removeRuns: Statements = (before, limit) => [
  sql`SELECT 1 FROM generate_series(1, ${sql.identifier(ENGINE)}.remove_runs(${before}, ${limit}))`,
];

/** With the events that several deliveries shared, and the notes of which mails an account got. */
const removeDeliveries: Statements = (before, limit) => [
  sql`
    DELETE FROM gleaner.outbox WHERE id = ANY (ARRAY(
      SELECT o.id FROM gleaner.outbox o WHERE o.state <> 'pending' AND o.created_at < ${before}
      ORDER BY o.created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
  sql`
    DELETE FROM gleaner.webhook_events WHERE no = ANY (ARRAY(
      SELECT e.no FROM gleaner.webhook_events e
      WHERE e.created_at < ${before} AND NOT EXISTS (SELECT 1 FROM gleaner.outbox o WHERE o.event_no = e.no)
      ORDER BY e.created_at LIMIT ${limit}))`,
  sql`
    DELETE FROM gleaner.alert_mails WHERE (account_id, subject, day) IN (
      SELECT m.account_id, m.subject, m.day FROM gleaner.alert_mails m WHERE m.day < (${before})::date LIMIT ${limit})`,
];

/** Held by one process, so that no two wait for the same days. */
const MINE = sql`mine AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(${sql.identifier(ENGINE)}.duty_lock('retention')) AS is_held)`;

/**
 * Replaces ledger entries by sums of their account and day, in one statement: a query that adds up entries and days counts each
 * credit once.
 */
const rollUpLedger: Statements = (before, limit) => [
  sql`
    WITH ${MINE}, oldest AS MATERIALIZED (
      SELECT e.id FROM (SELECT i.id, i.created_at FROM gleaner.ledger_entries i ORDER BY i.id LIMIT ${limit}) e
      WHERE e.created_at < ${before} AND (SELECT m.is_held FROM mine m)
    ), gone AS (
      DELETE FROM gleaner.ledger_entries e WHERE e.id = ANY (ARRAY(SELECT o.id FROM oldest o))
      RETURNING e.account_id, (e.created_at AT TIME ZONE 'UTC')::date AS day, e.kind, e.credits
    ), added AS (
      INSERT INTO gleaner.ledger_days AS known (account_id, day, granted, reserved, settled, released, entries)
      SELECT g.account_id, g.day,
        coalesce(sum(g.credits) FILTER (WHERE g.kind = 'grant'), 0),
        coalesce(sum(g.credits) FILTER (WHERE g.kind = 'reserve'), 0),
        coalesce(sum(g.credits) FILTER (WHERE g.kind = 'settle'), 0),
        coalesce(sum(g.credits) FILTER (WHERE g.kind = 'release'), 0),
        count(*)
      FROM gone g GROUP BY g.account_id, g.day
      ON CONFLICT (account_id, day) DO UPDATE SET
        granted = known.granted + excluded.granted, reserved = known.reserved + excluded.reserved,
        settled = known.settled + excluded.settled, released = known.released + excluded.released,
        entries = known.entries + excluded.entries
    ) SELECT 1 FROM gone`,
];

/** Replaces hours of usage by sums of their day, as `rollUpLedger` does with entries, and forgets the hosts of past days. */
const rollUpUsage: Statements = (before, limit) => [
  sql`
    WITH ${MINE}, gone AS (
      DELETE FROM gleaner.usage_hours h WHERE h.ctid = ANY (ARRAY(
        SELECT o.ctid FROM gleaner.usage_hours o
        WHERE o.hour < ${before} AND (o.hour AT TIME ZONE 'UTC')::time <> '00:00' AND (SELECT m.is_held FROM mine m)
        ORDER BY o.hour LIMIT ${limit}))
      RETURNING h.*
    ), added AS (
      INSERT INTO gleaner.usage_hours AS known (
        account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits, rows_new, rows_changed, rows_removed)
      SELECT g.account_id, date_trunc('day', g.hour, 'UTC') AS day, g.key_id, g.parser_id, g.cron_id, g.host, sum(g.succeeded),
        sum(g.failed), sum(g.credits), sum(g.rows_new), sum(g.rows_changed), sum(g.rows_removed)
      FROM gone g GROUP BY g.account_id, day, g.key_id, g.parser_id, g.cron_id, g.host
      ON CONFLICT (account_id, hour, key_id, parser_id, cron_id, host) DO UPDATE SET
        succeeded = known.succeeded + excluded.succeeded, failed = known.failed + excluded.failed,
        credits = known.credits + excluded.credits, rows_new = known.rows_new + excluded.rows_new,
        rows_changed = known.rows_changed + excluded.rows_changed, rows_removed = known.rows_removed + excluded.rows_removed
    ) SELECT 1 FROM gone`,
  sql`DELETE FROM gleaner.usage_hosts k WHERE k.day < (now() AT TIME ZONE 'UTC')::date - 1`,
];

/** @returns of how many rows each statement was */
async function inOrder(statements: readonly SQL[], db: Executor): Promise<number[]> {
  const counts: number[] = [];
  for (const statement of statements) counts.push((await db.execute(statement)).count);
  return counts;
}

/** What is removed, and when. A new kind of record is a line here and a setting. */
export function retentionRules(config: RetentionConfig): RetentionRule[] {
  const rule = (kind: string, keepMs: number, statements: Statements): RetentionRule => ({
    kind,
    keepMs,
    remove: async (db, ms, limit) => {
      const [first = 0] = await inOrder(statements(sql`now() - ${ms}::float8 * interval '1 ms'`, limit), db);
      return first;
    },
  });
  return [
    rule('deliveries of deleted webhooks', 0, removeDeletedWebhooks),
    rule('requests', KEEP_REQUESTS_MS, removeRequests),
    rule('firings', KEEP_FIRINGS_MS, removeFirings),
    rule('runs', config.keepRunsDays * DAY_MS, removeRuns),
    rule('deliveries', config.keepDeliveriesDays * DAY_MS, removeDeliveries),
    rule('ledger entries', config.keepLedgerDays * DAY_MS, rollUpLedger),
    rule('hours of usage', config.keepLedgerDays * DAY_MS, rollUpUsage),
  ];
}
