import { AppError, toStorableJson, type DatabaseSink } from '@gleaner/contracts';
import { ENGINE, type Sql } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { countRows } from '../sinks/row-counts.ts';
import { judgeTable, publishTable, type Held, type Judged } from './judge-table.ts';
import type { SchemaServices } from './open-schema.ts';
import type { PageTime } from './removal-statements.ts';

const RUNS_AT_ONCE = 20;
/** How long one account's runs may take; the rest waits for its next turn. */
const ACCOUNT_MS = 5_000;
const ACCOUNTS_AT_ONCE = 8;
/** How long removals wait for a person. */
const HELD_DAYS = 30;

type JudgeServices = SchemaServices & Pick<Services, 'log'>;

/** A table whose removals wait. */
interface HeldTable extends Omit<Held, 'pages'> {
  database: string;
  table: string;
  /** The run that counts them. */
  no: string;
}

function placeOf({ database, table }: Pick<DatabaseSink, 'database' | 'table'>): string {
  return `${database}.${table}`;
}

/** Counts removed rows for their run, and lets them be told. */
async function countRemoved(sql: Sql, root: string, no: string, removed: number): Promise<void> {
  if (removed === 0) return;
  await countRows(sql, no, { rows_new: 0, rows_changed: 0, rows_returned: 0, rows_removed: removed });
  await sql`SELECT ${sql(ENGINE)}.tell_changes(r) FROM gleaner.runs r WHERE r.no = ${root}`;
}

/** The tables of a run; none when a limit or a source cut it, or when rows were held back. */
async function readTables(sql: Sql, no: string): Promise<Judged[]> {
  return sql<Judged[]>`
    SELECT o.id, o.account_id, coalesce(w.workflow_id, o.cron_id) AS source, n.sink,
      extract(epoch FROM coalesce(o.started_at, o.created_at))::float8 AS began,
      extract(epoch FROM coalesce(o.finished_at, now()))::float8 AS ended,
      array_agg(n.no::text) AS nos, coalesce(sum(n.rows_new), 0)::float8 AS made,
      ARRAY(SELECT s.run_no::text FROM gleaner.stages s WHERE s.root_no = o.no AND s.role = 'pages') AS page_nos
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
    GROUP BY o.no, o.id, o.account_id, w.workflow_id, o.cron_id, o.started_at, o.created_at, o.finished_at, n.sink`;
}

/** What earlier runs of the same cron or workflow held back of this table waits no more. */
async function replaceHeld(
  sql: Sql,
  no: string,
  { account_id: accountId, source, sink }: Judged,
): Promise<void> {
  const { database, table } = sink;
  await sql`
    UPDATE gleaner.run_judgements j SET held = n.held, state = CASE WHEN n.held IS NULL THEN 'discarded' ELSE j.state END,
      pages = CASE WHEN n.held IS NULL THEN NULL ELSE j.pages END
    FROM (
      SELECT o.run_no, (SELECT jsonb_agg(h) FROM jsonb_array_elements(o.held) h
        WHERE (h ->> 'database', h ->> 'table') <> (${database}, ${table})) AS held
      FROM gleaner.run_judgements o
      WHERE o.account_id = ${accountId} AND o.source = ${source} AND o.state = 'held' AND o.run_no < ${no}::bigint
    ) n WHERE j.run_no = n.run_no AND j.state = 'held'`;
}

/** Judges one run, all of its tables. */
async function judgeRun(services: JudgeServices, no: string): Promise<void> {
  const { sql } = services.db;
  const held: HeldTable[] = [];
  const pages: Record<string, readonly PageTime[]> = {};
  for (const table of await readTables(sql, no)) {
    const { id: runId, sink, nos } = table;
    const [first = no] = nos;
    const judged = await judgeTable(services, table);
    if (judged === null) {
      services.log.info({ runId, table: sink.table }, 'rows of too many pages are missing to be judged');
      continue;
    }
    await replaceHeld(sql, no, table);
    if (typeof judged === 'number') await countRemoved(sql, no, first, judged);
    else {
      const { pages: read, ...counts } = judged;
      held.push({ database: sink.database, table: sink.table, no: first, ...counts });
      pages[placeOf(sink)] = read;
    }
  }
  if (held.length === 0) await sql`DELETE FROM gleaner.run_judgements WHERE run_no = ${no} AND state = 'due'`;
  else
    await sql`UPDATE gleaner.run_judgements SET state = 'held', due_at = 'infinity', held = ${toStorableJson(held)}::text::jsonb,
      pages = ${toStorableJson(pages)}::text::jsonb WHERE run_no = ${no} AND state = 'due'`;
}

/** Makes the removals of a run that waited. */
async function publishRun(services: JudgeServices, no: string): Promise<void> {
  const { sql } = services.db;
  const tables = await sql<(Judged & { no: string; pages: PageTime[] })[]>`
    SELECT r.id, j.account_id, j.source, n.sink, h ->> 'no' AS no,
      j.pages -> ((h ->> 'database') || '.' || (h ->> 'table')) AS pages
    FROM gleaner.run_judgements j JOIN gleaner.runs r ON r.no = j.run_no CROSS JOIN jsonb_array_elements(j.held) h
    JOIN gleaner.runs n ON n.no = (h ->> 'no')::bigint WHERE j.run_no = ${no} AND j.state = 'publishing'`;
  for (const table of tables)
    await countRemoved(sql, no, table.no, await publishTable(services, table, table.pages));
  await sql`UPDATE gleaner.run_judgements SET state = 'published', due_at = 'infinity', pages = NULL
    WHERE run_no = ${no} AND state = 'publishing'`;
}

/** After a failure for good, or of a day: a run is judged no more, and removals wait again. */
async function giveUp(sql: Sql, no: string, isLasting: boolean): Promise<void> {
  const isOver = sql`run_no = ${no} AND (${isLasting} OR created_at < clock_timestamp() - interval '1 day')`;
  await sql`DELETE FROM gleaner.run_judgements WHERE ${isOver} AND state = 'due'`;
  await sql`UPDATE gleaner.run_judgements SET state = 'held', due_at = 'infinity' WHERE ${isOver} AND state = 'publishing'`;
}

/**
 * Marks or deletes the rows that pages of ended runs of crons and workflows give no more, in tables whose `missing` says so,
 * and makes the removals that were published. A database that is away is asked again a minute later, for a day.
 */
export async function judgeRuns(services: JudgeServices): Promise<void> {
  const { sql } = services.db;
  const due = await sql<{ no: string; account_id: string; state: string }[]>`
    UPDATE gleaner.run_judgements j SET due_at = clock_timestamp() + interval '1 minute' FROM (
      -- Postgres rounds due_at to milliseconds, so that of this moment may lie ahead.
      SELECT run_no FROM gleaner.run_judgements WHERE due_at < clock_timestamp() + interval '1 ms' ORDER BY due_at
      LIMIT ${RUNS_AT_ONCE} FOR UPDATE SKIP LOCKED) d
    WHERE j.run_no = d.run_no RETURNING j.run_no::text AS no, j.account_id, j.state`;
  await sql`UPDATE gleaner.run_judgements SET state = 'discarded', held = NULL, pages = NULL
    WHERE state = 'held' AND created_at < clock_timestamp() - ${HELD_DAYS} * interval '1 day'`;
  const decide = async ({ no, state }: (typeof due)[number]): Promise<void> => {
    try {
      await (state === 'publishing' ? publishRun(services, no) : judgeRun(services, no));
    } catch (error) {
      if (!(error instanceof AppError)) services.log.warn({ err: error, runNo: no }, 'a run was not judged');
      await giveUp(sql, no, error instanceof AppError && error.code !== 'temporarily_unavailable');
    }
  };
  await forEachAlone(
    [...Map.groupBy(due, (run) => run.account_id).values()],
    async (own) => {
      const until = performance.now() + ACCOUNT_MS;
      for (const run of own) if (performance.now() < until) await decide(run);
    },
    ACCOUNTS_AT_ONCE,
  );
}
