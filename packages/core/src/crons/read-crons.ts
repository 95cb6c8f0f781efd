import { readOwn } from '../platform/references/used.ts';
import { nextFirings, parseSchedule } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, getTableColumns } from 'drizzle-orm';
import { listPage, matchesSearch } from '../platform/lists/page.ts';
import { readDatabaseTime } from '../platform/process/read-database-time.ts';
import { toCronRecords, toFiringRecord, toWholeRecord } from './cron-record.ts';
import { readRunCounts } from './firing-runs.ts';
import type { Perform } from '../platform/context.ts';

const { cronFirings, crons } = tables;

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
  const now = Date.parse(await readDatabaseTime(ctx.services.db.orm));
  const times = nextFirings(body.schedule, body.timezone ?? 'UTC', now, PREVIEWED);
  return {
    times: times.map((time) => new Date(time).toISOString()),
    note: parseSchedule(body.schedule).note,
  };
};
