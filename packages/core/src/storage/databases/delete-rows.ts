import { AppError, MAX_DELETED_ROWS } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';
import { invalid } from '../../platform/invalid-request.ts';
import type { Perform } from '../../platform/context.ts';
import type { DatabaseServices } from './database-services.ts';
import { findTable, openOwnDatabase } from './read-rows.ts';
import { compileFilter } from './row-filter.ts';
import { quoteTable } from './sql-text.ts';

/**
 * Deletes exactly the rows that match, or none when they are others than `count` says. Rows that somebody changes in this
 * moment stay. The rows are found before any is locked, so that too many lock nothing.
 * @throws AppError count_changed, invalid_request, not_found, temporarily_unavailable
 */
export const deleteRows: Perform<'deleteRows', DatabaseServices> = async (ctx, { params, query }) => {
  const { filter: text, count = 0, dry_run: isDry } = query;
  const place = await openOwnDatabase(ctx, params.id);
  const [name, filter] = await place.read(async (tx) => {
    const table = await findTable(tx, place.schema, params.table);
    return [quoteTable(place.schema, table.name), compileFilter(text, table)] as const;
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
  const [row] = await place
    .change(async (tx) =>
      tx.unsafe<{ found: number; gone: number }[]>(
        `WITH found AS MATERIALIZED (SELECT tableoid AS part, ctid AS at FROM ${name} WHERE ${condition} LIMIT ${count + 1}),
         gone AS (
           DELETE FROM ${name} t USING found f
           WHERE t.ctid = f.at AND t.tableoid = f.part AND (SELECT count(*) FROM found) = ${count} RETURNING 1)
         SELECT (SELECT count(*) FROM found)::int AS found, (SELECT count(*) FROM gone)::int AS gone`,
        parameters,
      ),
    )
    .catch((error: unknown) => {
      if (errorCodeOf(error) !== PG_ERRORS.insufficientPrivilege) throw error;
      const detail = 'the user of the connection_url may not delete rows of the table';
      throw new AppError('invalid_request', { field: 'table', detail, cause: error });
    });
  const { found = 0, gone = 0 } = row ?? {};
  if (found === count) return { count: gone };
  throw new AppError('count_changed', {
    field: 'count',
    detail:
      found > count
        ? `more than ${count} rows match${count === MAX_DELETED_ROWS ? ', and one call deletes no more' : ''}`
        : `${found} rows match, not ${count}`,
  });
};
