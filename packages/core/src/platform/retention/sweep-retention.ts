import { ENGINE, type Database } from '@gleaner/db';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../log/log.ts';

export type RetentionConfig = Pick<Settings, 'keepRunsDays' | 'keepDeliveriesDays' | 'keepLedgerDays'>;

/** One kind of record that is removed some time after its end. */
export interface RetentionRule {
  kind: string;
  keepMs: number;
  /**
   * Removes at most `limit` records, the oldest, that ended before now minus `keepMs`.
   * @returns how many there were
   */
  remove(db: Database, keepMs: number, limit: number): Promise<number>;
}

/** Rows of one statement: about 0.1 s of work, so that no statement holds its locks for long. */
const BATCH = 5_000;
/** A kind yields to the next one after this time and continues in the next round. */
const ROUND_MS = 20_000;

const DAY_MS = 86_400_000;
/** An API process that lost its connection reads an answer again within this time. */
const KEEP_REQUESTS_MS = 600_000;

/** Crons list them; decisions.md promises 90 days. */
const KEEP_FIRINGS_MS = 90 * DAY_MS;

/** What is removed, and when. A new kind of record is a line here, a setting and a function like those of 160_retention.sql. */
export function retentionRules(config: RetentionConfig): RetentionRule[] {
  const by = (kind: string, name: string, keepMs: number): RetentionRule => ({
    kind,
    keepMs,
    remove: async ({ sql }, ms, limit) => {
      const before = keepMs === 0 ? sql`` : sql`clock_timestamp() - ${ms}::float8 * interval '1 ms', `;
      const [row] = await sql<{ count: number }[]>`
        SELECT ${sql(ENGINE)}.${sql(name)}(${before}${limit}) AS count`;
      return row?.count ?? 0;
    },
  });
  return [
    by('deliveries of deleted webhooks', 'remove_deleted_webhooks', 0),
    by('requests', 'remove_requests', KEEP_REQUESTS_MS),
    by('firings', 'remove_firings', KEEP_FIRINGS_MS),
    by('runs', 'remove_runs', config.keepRunsDays * DAY_MS),
    by('deliveries', 'remove_deliveries', config.keepDeliveriesDays * DAY_MS),
    by('ledger entries', 'roll_up_ledger', config.keepLedgerDays * DAY_MS),
    by('hours of usage', 'roll_up_usage', config.keepLedgerDays * DAY_MS),
  ];
}

/**
 * One round: removes everything that is too old, in short statements. A kind that fails does not stop the others. Any
 * number of processes may call it.
 * @returns how many records of each kind were removed
 * @throws AggregateError after the round, if kinds failed
 */
export async function sweepRetention(
  { db, log }: { db: Database; log: Logger },
  rules: readonly RetentionRule[],
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  const errors: unknown[] = [];
  for (const { kind, keepMs, remove } of rules) {
    const end = performance.now() + ROUND_MS;
    try {
      let count = BATCH;
      while (count >= BATCH && performance.now() < end) {
        count = await remove(db, keepMs, BATCH);
        removed[kind] = (removed[kind] ?? 0) + count;
      }
    } catch (error) {
      log.warn({ err: error, kind }, 'old records were not removed; trying again');
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} kinds of old records stayed`);
  return removed;
}

/**
 * Rebuilds indexes that are mostly empty after many rows were removed, without blocking anybody. To be called now and
 * then: vacuum must have counted the rows that are left.
 * @returns their names
 */
export async function rebuildHollowIndexes({ sql, withSession }: Database): Promise<string[]> {
  const hollow = await sql<{ name: string }[]>`SELECT name FROM ${sql(ENGINE)}.hollow_indexes() name`;
  if (hollow.length === 0) return [];
  await withSession(async (session) => {
    // A rebuild waits for the end of every older transaction that wrote the table; nobody waits for the rebuild.
    await session`SET statement_timeout = 0`;
    for (const { name } of hollow) {
      // What an interrupted rebuild left; it serves no query.
      await session.unsafe(`DROP INDEX IF EXISTS ${name}_ccnew`);
      await session.unsafe(`REINDEX INDEX CONCURRENTLY ${name}`);
    }
  });
  return hollow.map(({ name }) => name);
}
