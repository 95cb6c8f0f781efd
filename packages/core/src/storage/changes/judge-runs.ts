import { AppError, toStorableJson, type DatabaseSink } from '@gleaner/contracts';
import { ENGINE, type Sql } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { finishStatement, keyJson, rowJson } from '../databases/feed-statements.ts';
import { CHECKED_AT, type Feed, feedTable, readFeed, REMOVED_AT, SEEN_BY } from '../databases/feed-tables.ts';
import { quoteIdentifier, quoteLiteral, quoteTable } from '../databases/sql-text.ts';
import { readTableState, type TableInfo } from '../databases/table-info.ts';
import { runnerOf, type Statement } from '../external/foreign-transaction.ts';
import { countRows } from '../sinks/row-counts.ts';
import { HISTORY_LIMITS } from '../sinks/write-rows.ts';
import { openSchema, type SchemaServices } from './open-schema.ts';

/** Rows are not marked when they are more than this share of those that earlier runs gave: rather the site or the parser is broken. */
const MOST_REMOVED = 0.3;
/** Pages whose rows a run did not give, of one table. With more, nothing is judged. */
const MOST_PAGES = 50_000;
const RUNS_AT_ONCE = 20;
/** How long one account's runs may take; the rest waits for its next turn. */
const ACCOUNT_MS = 5_000;
const ACCOUNTS_AT_ONCE = 8;

type JudgeServices = SchemaServices & Pick<Services, 'log'>;

/** A run, or the stages of a workflow run that write one table. */
interface Judged {
  /** What its rows have as `_run_id`. */
  id: string;
  account_id: string;
  /** The cron or workflow. */
  source: string;
  /** It began so long before `readAt`. */
  age_seconds: number;
  /** On performance.now()'s clock. */
  readAt: number;
  sink: DatabaseSink;
  nos: string[];
  made: number;
}

/** How the rows of a table are judged that earlier runs of the same cron or workflow gave, and this run did not. */
function describe(schema: string, table: TableInfo, feed: Feed, run: Judged) {
  const age = run.age_seconds + (performance.now() - run.readAt) / 1_000;
  const column = (name: string): string => `t.${quoteIdentifier(name)}`;
  const fetched = `greatest(${column('_fetched_at')}, ${column(CHECKED_AT)})`;
  const parameters = [run.source, run.id, String(age)];
  const began = `date_trunc('milliseconds', statement_timestamp() - $3::text::float8 * interval '1 second')`;
  const earlier = `${column(SEEN_BY)} @> ARRAY[$1::text] AND ${column(REMOVED_AT)} IS NULL`;
  const lacking = `${earlier} AND ${column('_run_id')} <> $2::text AND ${fetched} < ${began}`;
  const place = quoteTable(schema, table.name);
  const names = table.key.length > 0 ? table.key : run.sink.key;
  const key = table.columns.filter(({ name }) => names?.includes(name));
  const order = key.map(({ name }) => column(name)).join(', ');
  const [removedAt, checkedAt] = [REMOVED_AT, CHECKED_AT].map(quoteIdentifier);
  return {
    earlier: {
      text: `SELECT count(*)::float8 AS count FROM ${place} t WHERE ${earlier}`,
      parameters: [run.source],
    },
    pages: {
      text: `SELECT t._url AS url, count(*)::float8 AS count FROM ${place} t WHERE ${lacking} GROUP BY 1 LIMIT ${MOST_PAGES + 1}`,
      parameters,
    },
    /** Marks the rows of pages. A row that somebody writes in this moment stays. */
    mark: (urls: readonly string[]): Statement => ({
      text: `WITH found AS MATERIALIZED (
SELECT t.ctid AS at, t.tableoid AS part FROM ${place} t
WHERE ${lacking} AND t._url IN (SELECT json_array_elements_text($4::text::json)) ORDER BY ${order} FOR UPDATE OF t
), gone AS (
UPDATE ${place} t SET ${removedAt} = ${began}, ${checkedAt} = ${began} FROM found f
WHERE t.ctid = f.at AND t.tableoid = f.part AND ${lacking}
RETURNING ${keyJson('t', key)} AS key, ${column(REMOVED_AT)} AS at, ${rowJson('t', table)} AS row
), noted AS (
INSERT INTO ${feedTable(schema, 'changes')} (feed, kind, key, at, run_id, before)
SELECT ${quoteLiteral(feed.id)}, 'removed', g.key, g.at, $2::text, g.row FROM gone g
)
SELECT count(*)::float8 AS count FROM gone`,
      parameters: [...parameters, toStorableJson(urls)],
    }),
    finish: { text: finishStatement(schema, feed) },
  };
}

/**
 * The pages that the run read whole, or that answered 404 or 410. A page of which a task failed otherwise is not among
 * them.
 */
async function pagesRead(sql: Sql, { nos }: Judged, urls: readonly string[]): Promise<string[]> {
  const rows = await sql<{ url: string }[]>`
    SELECT t.input AS url FROM gleaner.tasks t LEFT JOIN gleaner.results o ON o.run_no = t.run_no AND o.seq = t.seq
    WHERE t.run_no = ANY (${`{${nos.join(',')}}`}::text::bigint[])
      AND t.input IN (SELECT json_array_elements_text(${toStorableJson(urls)}::text::json))
    GROUP BY t.input
    HAVING bool_and(coalesce(o.ok OR o.error ->> 'detail' ~ '^the target answered with status (404|410)$', false))`;
  return rows.map(({ url }) => url);
}

/** Marks what the run shows as gone. @returns how many rows; null when they were too many */
async function judgeTable(services: JudgeServices, run: Judged): Promise<number | null> {
  const { schema, run: transact } = await openSchema(services, run.account_id, run.sink.database);
  const sql = runnerOf(transact, 'read only', HISTORY_LIMITS);
  const { table } = await readTableState(sql, schema, run.sink.table);
  const feed = await readFeed(sql, schema, table);
  if (!table || feed?.missing !== 'mark') return 0;
  const statements = describe(schema, table, feed, run);
  const read = async ({ text, parameters = [] }: Statement) =>
    sql.unsafe<Record<string, unknown>[]>(text, [...parameters]);
  const pages = await read(statements.pages);
  if (pages.length === 0) return 0;
  if (pages.length > MOST_PAGES) return null;
  const urls = await pagesRead(
    services.db.sql,
    run,
    pages.map(({ url }) => String(url)),
  );
  const isRead = new Set(urls);
  const gone = pages.reduce((sum, { url, count }) => sum + (isRead.has(String(url)) ? Number(count) : 0), 0);
  if (gone === 0) return 0;
  const [earlier] = await read(statements.earlier);
  if (gone > MOST_REMOVED * (Number(earlier?.['count']) - run.made)) return null;
  const [, found] =
    (await transact({
      mode: 'read write',
      statements: [
        { text: HISTORY_LIMITS },
        describe(schema, table, feed, run).mark(urls),
        statements.finish,
      ],
    })) ?? [];
  return Number(found?.[0]?.['count'] ?? 0);
}

/** Judges one run, all of its tables. Everything stays when a limit or a source cut it, or when rows were held back. */
async function judgeRun(services: JudgeServices, no: string): Promise<void> {
  const { sql } = services.db;
  const readAt = performance.now();
  const tables = await sql<Omit<Judged, 'readAt'>[]>`
    SELECT o.id, o.account_id, coalesce(w.workflow_id, o.cron_id) AS source, n.sink,
      extract(epoch FROM clock_timestamp() - coalesce(o.started_at, o.created_at))::float8 AS age_seconds,
      array_agg(n.no::text) AS nos, coalesce(sum(n.rows_new), 0)::float8 AS made
    FROM gleaner.runs o LEFT JOIN gleaner.workflow_runs w ON w.no = o.no
    JOIN gleaner.runs n ON n.no = ${no} OR n.root_no = ${no}
    WHERE o.no = ${no} AND o.state = 'succeeded' AND n.sink ->> 'mode' = 'database' AND n.target ->> 'type' IN ('parser', 'schema')
      AND NOT EXISTS (
        SELECT FROM gleaner.runs c LEFT JOIN gleaner.stages s ON s.run_no = c.no WHERE (c.no = ${no} OR c.root_no = ${no})
          AND (c.cancelled > 0 OR s.dropped > 0 OR s.over_limit > 0))
      AND NOT EXISTS (SELECT FROM gleaner.quarantined_rows h JOIN gleaner.runs c ON c.no = h.run_no
        WHERE c.no = ${no} OR c.root_no = ${no})
      AND NOT EXISTS (SELECT FROM gleaner.crawls l WHERE l.root_no = ${no} AND l.over_limit > 0)
      AND NOT EXISTS (SELECT FROM gleaner.run_sources q WHERE (q.run_no = ${no} OR q.root_no = ${no})
        AND (q.since IS NOT NULL OR q.left_out > 0 OR q.state <> 'read'))
    GROUP BY o.no, o.id, o.account_id, w.workflow_id, o.cron_id, o.started_at, o.created_at, n.sink`;
  for (const table of tables) {
    const removed = await judgeTable(services, { ...table, readAt });
    const { id: runId, sink, nos } = table;
    if (removed === null) services.log.info({ runId, table: sink.table }, 'too many rows would be marked');
    const counts = { rows_new: 0, rows_changed: 0, rows_returned: 0, rows_removed: removed ?? 0 };
    if ((removed ?? 0) === 0 || nos[0] === undefined) continue;
    await countRows(sql, nos[0], counts);
    await sql`SELECT ${sql(ENGINE)}.tell_changes(r) FROM gleaner.runs r WHERE r.no = ${no}`;
  }
  await sql`DELETE FROM gleaner.run_judgements WHERE run_no = ${no}`;
}

/**
 * Marks the rows that pages of ended runs of crons and workflows give no more, in tables with `missing: "mark"`. A database
 * that is away is asked again a minute later, for a day.
 */
export async function judgeRuns(services: JudgeServices): Promise<void> {
  const { sql } = services.db;
  const due = await sql<{ no: string; account_id: string }[]>`
    UPDATE gleaner.run_judgements j SET due_at = clock_timestamp() + interval '1 minute' FROM (
      SELECT run_no FROM gleaner.run_judgements WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT ${RUNS_AT_ONCE}
      FOR UPDATE SKIP LOCKED) d
    WHERE j.run_no = d.run_no RETURNING j.run_no::text AS no, j.account_id`;
  const judge = async (no: string): Promise<void> => {
    try {
      await judgeRun(services, no);
    } catch (error) {
      if (!(error instanceof AppError)) services.log.warn({ err: error, runNo: no }, 'a run was not judged');
      const isLasting = error instanceof AppError && error.code !== 'temporarily_unavailable';
      await sql`DELETE FROM gleaner.run_judgements WHERE run_no = ${no}
        AND (${isLasting} OR created_at < clock_timestamp() - interval '1 day')`;
    }
  };
  await forEachAlone(
    [...Map.groupBy(due, (run) => run.account_id).values()],
    async (own) => {
      const until = performance.now() + ACCOUNT_MS;
      for (const { no } of own) if (performance.now() < until) await judge(no);
    },
    ACCOUNTS_AT_ONCE,
  );
}
