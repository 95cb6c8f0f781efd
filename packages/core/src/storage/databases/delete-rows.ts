import { AppError, MAX_DELETED_ROWS } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { invalid } from '../../platform/invalid-request.ts';
import type { Perform } from '../../platform/context.ts';
import type { DatabaseServices } from './database-services.ts';
import { findTable, openOwnDatabase } from './read-rows.ts';
import { compileFilter } from './row-filter.ts';
import { finishStatement, keyJson, rowJson } from './feed-statements.ts';
import { type Feed, feedTable, readFeed } from './feed-tables.ts';
import { quoteLiteral, quoteTable } from './sql-text.ts';
import type { TableInfo } from './table-info.ts';

/** What notes the deleted rows of a table with history as removed. */
function removedStatement(schema: string, table: TableInfo, feed: Feed) {
  const key = table.columns.filter(({ name }) => table.key.includes(name));
  return {
    returned: `${keyJson('t', key)} AS key, ${rowJson('t', table)} AS row`,
    statement: `, noted AS (
           INSERT INTO ${feedTable(schema, 'changes')} (feed, kind, key, at, before)
           SELECT ${quoteLiteral(feed.id)}, 'removed', key, clock_timestamp(), row FROM gone)`,
  };
}

/**
 * Deletes exactly the rows that match, or none when they are others than `count` says. Rows that somebody changes in this
 * moment stay. The rows are found before any is locked, so that too many lock nothing.
 * @throws AppError count_changed, invalid_request, not_found, temporarily_unavailable
 */
export const deleteRows: Perform<'deleteRows', DatabaseServices> = async (ctx, { params, query }) => {
  const { filter: text, count = 0, dry_run: isDry } = query;
  const place = await openOwnDatabase(ctx, params.id);
  const { name, filter, table, feed } = await place.read(async (tx) => {
    const found = await findTable(tx, place.schema, params.table);
    return {
      table: found,
      feed: await readFeed(tx, place.schema, found),
      name: quoteTable(place.schema, found.name),
      filter: compileFilter(text, found),
    };
  });
  if (filter.parameters.length === 0 && filter.text === 'true')
    throw invalid('filter', 'must have a condition', 'To delete all rows, drop the table.');
  const { text: condition, parameters } = filter;
  if (isDry)
    return place.read(async (tx) => {
      const [row] = await tx.unsafe<{ count: number }[]>(
        `SELECT count(*)::float8 AS count FROM ${name} WHERE ${condition}`,
        parameters,
      );
      return { count: row?.count ?? 0 };
    });
  const noted = feed && removedStatement(place.schema, table, feed);
  const [, [row] = []] =
    (await place
      .transact([
        {
          text: `WITH found AS MATERIALIZED (SELECT tableoid AS part, ctid AS at FROM ${name} WHERE ${condition} LIMIT ${count + 1}),
         gone AS (
           DELETE FROM ${name} t USING found f
           WHERE t.ctid = f.at AND t.tableoid = f.part AND (SELECT count(*) FROM found) = ${count} RETURNING ${noted?.returned ?? '1'})${noted?.statement ?? ''}
         SELECT (SELECT count(*) FROM found)::int AS found, (SELECT count(*) FROM gone)::int AS gone`,
          parameters,
        },
        ...(feed ? [{ text: finishStatement(place.schema, feed) }] : []),
      ])
      .catch((error: unknown) => {
        if (errorCodeOf(error) !== PG_ERRORS.insufficientPrivilege) throw error;
        const detail = 'the user of the connection_url may not delete rows of the table';
        throw new AppError('invalid_request', { field: 'table', detail, cause: error });
      })) ?? [];
  const [found, gone] = [Number(row?.['found'] ?? 0), Number(row?.['gone'] ?? 0)];
  if (found === count) return { count: gone };
  throw new AppError('count_changed', {
    field: 'count',
    detail:
      found > count
        ? `more than ${count} rows match${count === MAX_DELETED_ROWS ? ', and one call deletes no more' : ''}`
        : `${found} rows match, not ${count}`,
  });
};
