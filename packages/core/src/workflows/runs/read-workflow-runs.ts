import {
  type BatchRecord,
  type ListQuery,
  type StoredError,
  type TaskPhases,
  type WorkflowRunRecord,
} from '@gleaner/contracts';
import { sql, type SQL } from 'drizzle-orm';
import type { Context, Perform } from '../../platform/context.ts';
import { decodePlaces, encodeCursor, readPage, type ListPage } from '../../platform/lists/page.ts';
import { describeFailure, readCauses } from '../../runs/batches/batch-failures.ts';
import { createInputReader } from '../../runs/stages/input-values.ts';
import { filterRuns } from '../../runs/submission/filter-runs.ts';
import { findRun, refuseDeleted } from '../../runs/submission/find-run.ts';
import { followRun, type WatchServices } from '../../runs/watch/follow-run.ts';
import { FETCHING, type Fetching } from '../../runs/tasks/run-config.ts';
import type { TaskTarget } from '../../runs/tasks/task-spec.ts';
import { countWays } from '../../runs/ways/count-ways.ts';
import { tables } from '@gleaner/db';
import { readOwn } from '../../platform/references/used.ts';
import { PART_FETCHING } from './part-fetching.ts';
import { readWorkflowRunRecord, readWorkflowRuns } from './workflow-run-record.ts';

/** How the pages of the stages with several ways came, by the stage's name. */
async function countWaysOfStages(ctx: Context, id: string): Promise<Map<string, BatchRecord['ways']>> {
  const { db } = ctx.services;
  const stages = await db.sql<{ name: string; no: string; fetching: Fetching }[]>`
    SELECT s.name, r.no::text AS no, (SELECT ${db.sql.unsafe(FETCHING)} FROM (SELECT r.config) c) AS fetching
    FROM gleaner.workflow_runs w JOIN gleaner.stages s ON s.root_no = w.no JOIN gleaner.runs r ON r.no = s.run_no
    WHERE w.id = ${id} AND w.account_id = ${ctx.accountId} AND r.config -> 'ways' IS NOT NULL
      AND coalesce(s.role, 'pages') = 'pages'`;
  const counted = stages.map(async (stage) => [stage.name, await countWays(ctx, stage)] as const);
  return new Map(await Promise.all(counted));
}

/** @throws AppError not_found */
export const getWorkflowRun: Perform<'getWorkflowRun'> = async (ctx, { params }) => {
  const record = await readWorkflowRunRecord(ctx.services.db.orm, ctx.accountId, params.id);
  const ways = await countWaysOfStages(ctx, params.id);
  if (ways.size === 0) return record;
  return { ...record, stages: record.stages.map((stage) => ({ ...stage, ways: ways.get(stage.name) })) };
};

/** @param of further conditions on `runs` and `workflow_runs w` */
export function readRunPage(
  ctx: Context,
  query: ListQuery & Parameters<typeof filterRuns>[1],
  of: SQL,
): Promise<ListPage<WorkflowRunRecord>> {
  return readPage('runs', query, (before, limit) =>
    readWorkflowRuns(ctx.services.db.orm, sql`${filterRuns(ctx.accountId, query, before)} AND ${of}`, limit),
  );
}

export const listWorkflowRuns: Perform<'listWorkflowRuns'> = async (ctx, { query }) => {
  const { kind } = query;
  const { items, pagination } = await readRunPage(
    ctx,
    query,
    kind === undefined ? sql`true` : sql`w.kind = ${kind}`,
  );
  return { workflow_runs: items, pagination };
};

/** @throws AppError not_found */
export const listRunsOfWorkflow: Perform<'listRunsOfWorkflow'> = async (ctx, { params, query }) => {
  await readOwn(ctx.services.db.orm, tables.workflows, ctx.accountId, params.id);
  const { items, pagination } = await readRunPage(ctx, query, sql`workflow_id = ${params.id}`);
  return { workflow_runs: items, pagination };
};

interface FailureRow {
  stage: number;
  name: string;
  seq: number;
  no: string;
  target: TaskTarget;
  input: string;
  carried: string | null;
  error: StoredError;
  attempts: number;
  phases: TaskPhases | null;
  way: number | null;
  fetching: Fetching;
}

/** The runs of the stages, or of one. */
function readStages({ services, accountId }: Context, id: string, stage: string | null) {
  return services.db.sql<{ no: string; target: TaskTarget }[]>`
    SELECT r.no::text AS no, r.target
    FROM gleaner.workflow_runs w JOIN gleaner.stages s ON s.root_no = w.no JOIN gleaner.runs r ON r.no = s.run_no
    WHERE w.id = ${id} AND w.account_id = ${accountId} AND (${stage}::text IS NULL OR s.name = ${stage})`;
}

/** Failed inputs, stage by stage, in the order of their inputs. @throws AppError not_found */
export const getWorkflowRunFailures: Perform<'getWorkflowRunFailures'> = async (ctx, { params, query }) => {
  const { db } = ctx.services;
  refuseDeleted(await findRun(ctx, 'workflow', params.id));
  const [stage = 0, seq = -1] = query.cursor === undefined ? [] : decodePlaces('failures', query.cursor, 2);
  const rows = await db.sql<FailureRow[]>`
    SELECT s.stage, s.name, f.seq, r.no::text AS no, r.target, f.input, f.carried, f.error, f.attempts, f.phases, f.way,
      ${db.sql.unsafe(PART_FETCHING)} AS fetching
    FROM gleaner.workflow_runs w JOIN gleaner.stages s ON s.root_no = w.no JOIN gleaner.runs r ON r.no = s.run_no
    CROSS JOIN LATERAL (
      SELECT o.seq, t.input, t.carried, o.error, o.attempts, o.phases, coalesce(page.way, o.way) AS way
      FROM gleaner.results o CROSS JOIN LATERAL (
        SELECT n.input, n.carried, n.parent_no, n.parent_seq FROM gleaner.tasks n WHERE n.run_no = o.run_no AND n.seq = o.seq LIMIT 1
      ) t LEFT JOIN LATERAL (
        SELECT n.way FROM gleaner.results n WHERE s.role = 'route' AND n.run_no = t.parent_no AND n.seq = t.parent_seq LIMIT 1
      ) page ON true
      WHERE o.run_no = s.run_no AND NOT o.ok AND o.seq > CASE WHEN s.stage = ${stage} THEN ${seq}::int ELSE -1 END
      ORDER BY o.seq LIMIT ${query.limit + 1}
    ) f
    WHERE w.id = ${params.id} AND w.account_id = ${ctx.accountId} AND s.stage >= ${stage}
      AND (${query.stage ?? null}::text IS NULL OR s.name = ${query.stage ?? null})
    ORDER BY s.stage, f.seq LIMIT ${query.limit + 1}`;
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const causes =
    query.cursor === undefined
      ? { causes: await readCauses(ctx, await readStages(ctx, params.id, query.stage ?? null)) }
      : {};
  const readValues = createInputReader(ctx.services);
  const failures = [];
  for (const row of page) {
    const values = await readValues(row.no, row.carried);
    failures.push({ stage: row.name, ...describeFailure(row, row, values) });
  }
  return {
    ...causes,
    failures,
    ...(rows.length > query.limit && last
      ? { cursor: encodeCursor('failures', [last.stage, last.seq]) }
      : {}),
  };
};

/** Progress until the end, or until the call's signal is aborted. @throws AppError not_found */
export const watchWorkflowRun: Perform<'watchWorkflowRun', WatchServices> = (ctx, { params }) => {
  return followRun(ctx, params.id, () =>
    readWorkflowRunRecord(ctx.services.db.orm, ctx.accountId, params.id),
  );
};
