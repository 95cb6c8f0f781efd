import { readOwn } from '../platform/references/used.ts';
import { nextFirings, parseSchedule } from '@gleaner/contracts';
import { tables, ENGINE, type Executor } from '@gleaner/db';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { listPage, matchesSearch } from '../platform/lists/page.ts';
import { readClock } from './change-crons.ts';
import { toCronRecords, toFiringRecord, toWholeRecord, type FiringRow } from './cron-record.ts';
import type { Perform, OutputOf } from '../platform/context.ts';

const { cronFirings, crons } = tables;

type RunCounts = NonNullable<OutputOf<'listCronRuns'>['runs'][number]['run']>;

/** The runs of firings by their identifiers, with what became of their inputs; of a workflow's run, over all stages. */
async function readRunCounts(
  db: Executor,
  accountId: string,
  firings: readonly Pick<FiringRow, 'runId'>[],
): Promise<Map<string, RunCounts>> {
  const ids = firings.flatMap(({ runId }) => (runId === null ? [] : [runId]));
  if (ids.length === 0) return new Map();
  const rows = await db.execute<RunCounts & { id: string }>(sql`
      SELECT r.id, sum(c.total)::int AS total, sum(c.succeeded)::int AS succeeded,
        sum(c.failed)::int AS failed,
        CASE WHEN r.state = 'pending' AND sum(c.running + c.succeeded + c.failed) > 0 THEN 'running'
          ELSE r.state END AS status
      FROM gleaner.runs r LEFT JOIN gleaner.stages s ON s.root_no = r.no AND s.role IS DISTINCT FROM 'source'
      CROSS JOIN LATERAL ${sql.identifier(ENGINE)}.count_run(coalesce(s.run_no, r.no)) c
      WHERE r.account_id = ${accountId} AND r.kind IN ('batch', 'workflow') AND r.id IN (${sql.join(ids, sql`, `)})
      GROUP BY r.id, r.state`);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

const PREVIEWED = 10;
const { inputs: _inputs, ...listedColumns } = getTableColumns(crons);

export const getCron: Perform<'getCron'> = async (ctx, { params }) => {
  const { orm } = ctx.services.db;
  return toWholeRecord(ctx.services, orm, await readOwn(orm, crons, ctx.accountId, params.id));
};

/** Without their inputs, which may be long. */
export const listCrons: Perform<'listCrons'> = async (ctx, { query }) => {
  const { orm } = ctx.services.db;
  const { items, pagination } = await listPage(
    query,
    crons.id,
    [eq(crons.accountId, ctx.accountId), matchesSearch(query.search, crons)],
    orm.select(listedColumns).from(crons),
  );
  return { crons: await toCronRecords(ctx.services, orm, items), pagination };
};

/** The firings of a cron, latest decision first. */
export const listCronRuns: Perform<'listCronRuns'> = async (ctx, { params, query }) => {
  const { orm } = ctx.services.db;
  const { id } = await readOwn(orm, crons, ctx.accountId, params.id);
  const { items, pagination } = await listPage(
    query,
    cronFirings.id,
    [eq(cronFirings.cronId, id)],
    orm.select().from(cronFirings),
  );
  const runs = await readRunCounts(orm, ctx.accountId, items);
  return {
    runs: items.map((row) => ({ ...toFiringRecord(row), run: runs.get(row.runId ?? '') ?? null })),
    pagination,
  };
};

/** The next firings that a cron with this schedule would have. */
export const previewCron: Perform<'previewCron'> = async (ctx, { body }) => {
  const now = await readClock(ctx.services.db.orm);
  const times = nextFirings(body.schedule, body.timezone ?? 'UTC', now, PREVIEWED);
  return {
    times: times.map((time) => new Date(time).toISOString()),
    note: parseSchedule(body.schedule).note,
  };
};
