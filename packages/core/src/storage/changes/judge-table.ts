import type { DatabaseSink } from '@gleaner/contracts';
import { toStorableJson } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';
import { readFeed } from '../databases/feed-tables.ts';
import { readTableState } from '../databases/table-info.ts';
import { runnerOf, type Statement } from '../external/foreign-transaction.ts';
import { HISTORY_LIMITS } from '../sinks/write-rows.ts';
import { openSchema, type SchemaServices } from './open-schema.ts';
import { removalStatements, type PageTime } from './removal-statements.ts';

/** Removals wait for a person when they are more than this share of the rows that earlier runs gave. */
const MOST_REMOVED = 0.3;
/** Pages whose rows a run did not give, of one table. With more, nothing is judged. */
const MOST_PAGES = 50_000;

/** A run, or the stages of a workflow run that write one table. Times are seconds of the epoch, on our Postgres's clock. */
export interface Judged {
  /** What its rows have as `_run_id`. */
  id: string;
  account_id: string;
  /** The cron or workflow. */
  source: string;
  began: number;
  ended: number;
  sink: DatabaseSink;
  nos: string[];
  /** The runs that fetch the pages of a crawl, whose routes read them. */
  page_nos: string[];
  made: number;
}

/** Removals of a table that wait. */
export interface Held {
  rows: number;
  /** The rows that earlier runs gave. */
  of: number;
  pages: readonly PageTime[];
}

type JudgedTable = Pick<Judged, 'id' | 'account_id' | 'source' | 'sink'>;

/** The statements for a table that removes rows; undefined for others. */
async function openTable(services: SchemaServices, run: JudgedTable) {
  const { schema, run: transact } = await openSchema(services, run.account_id, run.sink.database);
  const sql = runnerOf(transact, 'read only', HISTORY_LIMITS);
  const { table } = await readTableState(sql, schema, run.sink.table);
  const feed = await readFeed(sql, schema, table);
  if (!table || feed === undefined || feed.missing === 'keep') return undefined;
  const { id, source, sink } = run;
  const statements = removalStatements(schema, table, feed, { id, source, key: sink.key });
  const read = async ({ text, parameters = [] }: Statement) =>
    sql.unsafe<Record<string, unknown>[]>(text, [...parameters]);
  return {
    candidates: async (ended: number): Promise<string[]> =>
      (await read(statements.candidates(ended, MOST_PAGES + 1))).map(({ url }) => String(url)),
    count: async (pages: readonly PageTime[]): Promise<{ gone: number; earlier: number }> => {
      const [found] = await read(statements.count(pages));
      return { gone: Number(found?.['gone'] ?? 0), earlier: Number(found?.['earlier'] ?? 0) };
    },
    /** @returns how many rows went */
    remove: async (pages: readonly PageTime[]): Promise<number> => {
      const [, found] =
        (await transact({
          mode: 'read write',
          statements: [{ text: HISTORY_LIMITS }, statements.remove(pages), statements.finish],
        })) ?? [];
      return Number(found?.[0]?.['count'] ?? 0);
    },
  };
}

/**
 * The pages that the run read whole, or that answered 404 or 410, with the time of the earliest fetch; of outcomes without
 * one, the run's beginning. A page of which a task failed otherwise is not among them.
 */
async function pagesRead(
  sql: Sql,
  { nos, page_nos: pageNos, began }: Judged,
  urls: readonly string[],
): Promise<PageTime[]> {
  const rows = await sql<{ url: string; at: number }[]>`
    SELECT t.input AS url, coalesce(extract(epoch FROM min(o.fetched_at)), ${began})::float8 AS at
    FROM gleaner.tasks t LEFT JOIN gleaner.results o ON o.run_no = t.run_no AND o.seq = t.seq
    WHERE (t.run_no = ANY (${`{${nos.join(',')}}`}::text::bigint[])
        OR (t.run_no = ANY (${`{${pageNos.join(',')}}`}::text::bigint[]) AND NOT o.ok))
      AND t.input IN (SELECT json_array_elements_text(${toStorableJson(urls)}::text::json))
    GROUP BY t.input
    HAVING bool_and(coalesce(o.ok OR o.error ->> 'detail' ~ '^the target answered with status (404|410)$', false))`;
  return rows.map(({ url, at }) => [url, at]);
}

/** Removes what the run shows as gone. @returns how many rows; what waits, when they were too many; null: nothing was judged */
export async function judgeTable(services: SchemaServices, run: Judged): Promise<number | Held | null> {
  const table = await openTable(services, run);
  if (!table) return 0;
  const urls = await table.candidates(run.ended);
  if (urls.length === 0) return 0;
  if (urls.length > MOST_PAGES) return null;
  const pages = await pagesRead(services.db.sql, run, urls);
  const { gone, earlier } = await table.count(pages);
  if (gone === 0) return 0;
  const of = earlier - run.made;
  if (gone > (run.sink.expect?.removed ?? MOST_REMOVED) * of) return { rows: gone, of, pages };
  return table.remove(pages);
}

/** Makes removals that waited, of rows that nobody fetched since. @returns how many rows */
export async function publishTable(
  services: SchemaServices,
  run: JudgedTable,
  pages: readonly PageTime[],
): Promise<number> {
  return (await (await openTable(services, run))?.remove(pages)) ?? 0;
}
