import type { Database } from '@gleaner/db';
import type { Logger } from '../log/log.ts';
import type { RetentionRule } from './retention-rules.ts';

/** Rows of one statement: about 0.1 s of work, so that no statement holds its locks for long. */
const BATCH = 5_000;
/** A kind yields to the next one after this time and continues in the next round. */
const ROUND_MS = 20_000;

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
        count = await remove(db.orm, keepMs, BATCH);
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
 * Indexes of these tables that are mostly empty pages after rows were removed: larger than a megabyte and than four times the
 * space that the table's present rows need. Vacuum shrinks tables, but never indexes. 100 bytes are more than any of their
 * entries takes.
 */
const HOLLOW = `
  SELECT format('%I.%I', n.nspname, i.relname) AS name
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE n.nspname = 'gleaner' AND t.relname IN ('runs', 'ledger_entries', 'outbox', 'requests') AND x.indisvalid
    AND pg_relation_size(i.oid) > greatest(8192 * 16, 4 * 100 * greatest(t.reltuples, 0))`;

/**
 * Rebuilds indexes that are mostly empty after many rows were removed, without blocking anybody. To be called now and
 * then: vacuum must have counted the rows that are left.
 * @returns their names
 */
export async function rebuildHollowIndexes({ sql, withSession }: Database): Promise<string[]> {
  const hollow = await sql.unsafe<{ name: string }[]>(HOLLOW);
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
