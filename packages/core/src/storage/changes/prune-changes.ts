import { AppError } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { feedTable } from '../databases/feed-tables.ts';
import type { Statement } from '../external/foreign-transaction.ts';
import { openSchema, type SchemaServices } from './open-schema.ts';

type PruneServices = SchemaServices & Pick<Services, 'log'>;

/** How long a table waits for its next turn. */
const EVERY_HOURS = 1;
const TABLES_AT_ONCE = 50;
/** Changes of one transaction, unless one commit has more. */
const MOST_CHANGES = 20_000;
const MOST_BATCHES = 20;

/**
 * Removes the oldest commits of a feed with their changes. The last of them stays without its changes, so that who has read
 * it has missed nothing.
 */
function pruneStatement(schema: string, feed: string, keepDays: number): Statement {
  const [commits, changes] = (['commits', 'changes'] as const).map((name) => feedTable(schema, name));
  return {
    text: `WITH old AS MATERIALIZED (
  SELECT position, tx, first, last FROM (
    SELECT *, sum(size) OVER (ORDER BY position) - size AS before FROM (
      SELECT * FROM ${commits} WHERE feed = $1 AND tx IS NOT NULL AND at < clock_timestamp() - $2::text::float8 * interval '1 day'
      ORDER BY position LIMIT 1000) c
  ) s WHERE before < ${MOST_CHANGES}
), gone AS (
  DELETE FROM ${changes} g USING old o WHERE g.tx = o.tx AND g.no BETWEEN o.first AND o.last
), dropped AS (
  DELETE FROM ${commits} WHERE feed = $1 AND position < (SELECT max(position) FROM old)
), anchored AS (
  UPDATE ${commits} SET tx = NULL WHERE feed = $1 AND position = (SELECT max(position) FROM old)
)
SELECT count(*)::int AS count FROM old`,
    parameters: [feed, String(keepDays)],
  };
}

interface TableRow {
  account_id: string;
  database_id: string;
  table_name: string;
  is_on: boolean;
}

async function pruneTable(services: PruneServices, row: TableRow, keepDays: number): Promise<number> {
  const { account_id: accountId, database_id: id, table_name: table } = row;
  const { schema, run } = await openSchema(services, accountId, id);
  const runOne = async (statement: Statement): Promise<Record<string, unknown>[]> => {
    const rows = await run({ mode: 'read write', statements: [statement] });
    return rows?.[0] ?? [];
  };
  const commits = feedTable(schema, 'commits');
  const feeds = await runOne({
    text: `SELECT c.feed, f.feed IS NULL AS has_ended FROM (SELECT DISTINCT feed FROM ${commits}) c
      LEFT JOIN ${feedTable(schema, 'feeds')} f ON f.feed = c.feed WHERE f.feed IS NULL OR f.table_name = $1`,
    parameters: [table],
  });
  let removed = 0;
  for (const { feed, has_ended: hasEnded } of feeds) {
    const statement = pruneStatement(schema, String(feed), hasEnded === true ? 0 : keepDays);
    let count = 1;
    for (let batches = 1; count > 0 && batches <= MOST_BATCHES; batches += 1) {
      const [found] = await runOne(statement);
      count = Number(found?.['count'] ?? 0);
      removed += count;
    }
    if (hasEnded === true && count === 0)
      await runOne({ text: `DELETE FROM ${commits} WHERE feed = $1`, parameters: [String(feed)] });
  }
  return removed;
}

/**
 * Removes changes that are older than they are kept, and those of feeds that have ended: of some tables, those that waited
 * longest. A database that is away waits for its next turn.
 * @returns how many commits were removed
 */
export async function pruneChanges(services: PruneServices, keepDays: number): Promise<number> {
  const { sql } = services.db;
  const rows = await sql<TableRow[]>`
    UPDATE gleaner.feeds f SET pruned_at = now() FROM (
      SELECT database_id, table_name FROM gleaner.feeds WHERE pruned_at < now() - ${EVERY_HOURS}::float8 * interval '1 hour'
      ORDER BY pruned_at LIMIT ${TABLES_AT_ONCE}
    ) due WHERE f.database_id = due.database_id AND f.table_name = due.table_name
    RETURNING f.account_id, f.database_id, f.table_name, f.is_on`;
  let removed = 0;
  for (const row of rows) {
    try {
      removed += await pruneTable(services, row, keepDays);
      if (!row.is_on)
        await sql`DELETE FROM gleaner.feeds WHERE database_id = ${row.database_id} AND table_name = ${row.table_name}
          AND NOT is_on`;
    } catch (error) {
      const isGone = [PG_ERRORS.undefinedTable, PG_ERRORS.invalidSchemaName].some(
        (code) => code === errorCodeOf(error),
      );
      if (!isGone && !(error instanceof AppError))
        services.log.warn({ err: error, database: row.database_id }, 'old changes were not removed');
    }
  }
  return removed;
}
