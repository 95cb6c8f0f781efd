import {
  AppError,
  type PauseCause,
  type PauseReason,
  type Sink,
  type WorkflowRunKind,
  type WorkflowRunRecord,
} from '@gleaner/contracts';
import { ENGINE, type Executor } from '@gleaner/db';
import { sql, type SQL } from 'drizzle-orm';
import type { CarriedNames } from '../../runs/stages/input-values.ts';
import type { CrawlSpec } from '../../runs/stages/stage-spec.ts';
import {
  selectRowChanges,
  selectWaiting,
  toOptionalTime,
  toTime,
  toWaiting,
  type RowChanges,
  type WaitingRow,
} from '../../runs/submission/run-record.ts';
import { selectRemovals, type Removals } from '../../runs/submission/run-removals.ts';
import { sourceColumn, toShownSource, type SourceColumns } from '../../runs/submission/source-record.ts';
import { countHeld } from '../../runs/submission/filter-runs.ts';
import { routeOf } from '../stage-parts.ts';

type Counts = WorkflowRunRecord['counts'];
type Stage = WorkflowRunRecord['stages'][number];

interface StageRow extends Counts {
  id: string;
  rows: RowChanges;
  sink: Sink | null;
  name: string;
  state: Stage['status'];
  mode: Stage['mode'];
  /** The part of a crawl; null for a stage. */
  role: CrawlSpec['role'] | null;
  /** The folders of a crawl with `scope: "path"`; else null. */
  folders: string[] | null;
  numbered: number;
  duplicates: number;
  refused: number;
  over_limit: number;
  dropped: number;
  reserved: number;
  used: number;
  started_at: string | null;
  finished_at: string | null;
}

type RunRow = {
  id: string;
  kind: WorkflowRunKind;
  workflow_id: string | null;
  workflow_version: number | null;
  name: string | null;
  state: WorkflowRunRecord['status'];
  reason: PauseCause | null;
  since: string | null;
  waiting: WaitingRow | null;
  created_at: string;
  finished_at: string | null;
  expires_at: string | null;
  page_limit: number | null;
  crawl_duplicates: number | null;
  crawl_over_limit: number | null;
  unfollowed_pages: number | null;
  stages: StageRow[];
  held: number;
  rows: RowChanges;
  removals: Removals;
  source: SourceColumns | null;
  carry: CarriedNames | null;
};

const REASONS = {
  credits: 'insufficient credits',
  pending: 'pending limit',
  limit: 'limits.credits',
} satisfies Record<PauseCause, PauseReason>;

const COUNTS = [
  'total',
  'pending',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'waiting_for_sink',
  'rows_kept',
] as const satisfies readonly (keyof Counts)[];

/** The counts of stages, added up. */
function toCounts(...stages: readonly Counts[]): Counts {
  const sums = COUNTS.map((name) => [name, stages.reduce((total, stage) => total + stage[name], 0)]);
  return Object.fromEntries(sums) as Counts;
}

function toPlace({ id, sink, rows }: StageRow) {
  return { run_id: id, sink: sink ?? ({ mode: 'return' } as const), rows };
}

function toCrawl(row: StageRow, run: RunRow): Stage['crawl'] {
  if (row.role !== 'pages') return null;
  const sources = run.stages.find(({ role }) => role === 'sources');
  return {
    page_limit: run.page_limit ?? 0,
    folders: row.folders,
    duplicates: run.crawl_duplicates ?? 0,
    over_limit: run.crawl_over_limit ?? 0,
    unfollowed_pages: run.unfollowed_pages ?? 0,
    sources: sources === undefined ? null : toCounts(sources),
    routes: run.stages
      .filter(({ role }) => role === 'route')
      .map((route) => ({
        name: routeOf(route.name) ?? '',
        mode: route.mode,
        ...toPlace(route),
        counts: toCounts(route),
      })),
  };
}

function toStage(row: StageRow, run: RunRow): Stage {
  return {
    name: row.name,
    status: row.state,
    mode: row.mode,
    ...toPlace(row),
    counts: toCounts(row),
    // What an ended stage has not taken by then is never taken.
    waiting: row.finished_at === null ? Math.max(row.numbered - row.total, 0) : 0,
    duplicates: row.duplicates,
    refused: row.refused,
    over_limit: row.over_limit,
    dropped: row.dropped,
    credits: { reserved: row.reserved, used: row.used },
    crawl: toCrawl(row, run),
    started_at: toOptionalTime(row.started_at),
    finished_at: toOptionalTime(row.finished_at),
  };
}

/** Sources are no inputs of a run. */
function isOfPages(role: StageRow['role']): boolean {
  return role !== 'source' && role !== 'sources';
}

function toRecord(row: RunRow): WorkflowRunRecord {
  // Sources and routes of a crawl are shown with its pages.
  const shown = row.stages.filter(({ role }) => role === null || role === 'pages');
  const started = row.stages
    .flatMap(({ started_at }) => (started_at === null ? [] : [toTime(started_at)]))
    .toSorted();
  return {
    id: row.id,
    kind: row.kind,
    workflow_id: row.workflow_id,
    workflow_version: row.workflow_version,
    name: row.name,
    status: row.state === 'pending' && started.length > 0 ? 'running' : row.state,
    paused:
      row.reason === null || row.since === null
        ? null
        : { reason: REASONS[row.reason], since: toTime(row.since) },
    waiting: toWaiting(row.waiting),
    counts: { ...toCounts(...shown), rows_kept: toCounts(...row.stages).rows_kept },
    credits: {
      reserved: row.stages.reduce((total, { reserved }) => total + reserved, 0),
      used: row.stages.reduce((total, { used }) => total + used, 0),
    },
    has_failures: row.stages.some(({ role, failed }) => isOfPages(role) && failed > 0),
    held: row.held,
    rows: row.rows,
    ...row.removals,
    ...toShownSource(row.source),
    carry: row.carry,
    stages: shown.map((stage) => toStage(stage, row)),
    created_at: toTime(row.created_at),
    started_at: started[0] ?? null,
    finished_at: toOptionalTime(row.finished_at),
    expires_at: toOptionalTime(row.expires_at),
  };
}

const WAITING = selectWaiting(
  sql`c.run_no IN (SELECT s.run_no FROM gleaner.stages s WHERE s.root_no = r.no)`,
);

/** Workflow runs with the counts of their stages, newest first. One snapshot gives all counts of a run. */
export async function readWorkflowRuns(
  db: Executor,
  where: SQL,
  limit: number,
): Promise<WorkflowRunRecord[]> {
  const rows = await db.execute<RunRow>(sql`
      SELECT r.id, w.kind, w.workflow_id, w.workflow_version, r.name, r.state, p.reason, p.since, r.created_at, r.finished_at,
        c.page_limit, c.duplicates AS crawl_duplicates, c.over_limit AS crawl_over_limit, c.unfollowed_pages,
        ${sourceColumn(sql`q.root_no = r.no`)},
        CASE WHEN r.expires_at IS NOT NULL THEN r.expires_at WHEN EXISTS (
          SELECT 1 FROM gleaner.stages s JOIN gleaner.runs n ON n.no = s.run_no
          WHERE s.root_no = r.no AND n.mode = 'return' AND coalesce(s.role, 'route') = 'route'
        ) THEN r.finished_at + interval '24 hours' END AS expires_at,
        (
          SELECT json_agg(json_build_object('name', s.name, 'id', n.id, 'sink', n.sink, 'state', n.state, 'mode', n.mode, 'role', s.role,
            'folders', s.plan -> 'crawl' -> 'folders', 'numbered', s.numbered,
            'duplicates', s.duplicates, 'refused', s.refused, 'over_limit', s.over_limit, 'dropped', s.dropped,
            'started_at', n.started_at, 'finished_at', n.finished_at, 'total', c.total - s.left_out, 'pending', c.pending,
            'running', c.running, 'succeeded', c.succeeded, 'failed', c.failed, 'cancelled', c.cancelled - s.left_out,
            'waiting_for_sink', c.waiting_for_sink, 'rows_kept', n.rows_kept, 'rows', ${selectRowChanges(sql`s.run_no`)}, 'reserved', c.reserved, 'used', c.used) ORDER BY s.stage)
          FROM gleaner.stages s JOIN gleaner.runs n ON n.no = s.run_no CROSS JOIN LATERAL ${sql.identifier(ENGINE)}.count_run(s.run_no) c
          WHERE s.root_no = r.no
        ) AS stages,
        (
          SELECT n.config -> 'carry' FROM gleaner.stages s JOIN gleaner.runs n ON n.no = s.run_no
          WHERE s.root_no = r.no AND s.role IS NULL ORDER BY s.stage LIMIT 1
        ) AS carry,
        ${WAITING} AS waiting, ${countHeld(sql`SELECT s.run_no FROM gleaner.stages s WHERE s.root_no = r.no`)} AS held,
        ${selectRowChanges(sql`SELECT s.run_no FROM gleaner.stages s WHERE s.root_no = r.no`)} AS rows, ${selectRemovals(sql`r.no`)} AS removals
      FROM (
        SELECT runs.* FROM gleaner.runs JOIN gleaner.workflow_runs w USING (id, no) WHERE runs.kind = 'workflow' AND ${where}
        ORDER BY runs.id DESC LIMIT ${limit}
      ) r
      JOIN gleaner.workflow_runs w ON w.no = r.no LEFT JOIN gleaner.run_pauses p ON p.root_no = r.no
      LEFT JOIN gleaner.crawls c ON c.root_no = r.no
      ORDER BY r.id DESC`);
  return rows.map(toRecord);
}

/** @throws AppError not_found */
export async function readWorkflowRunRecord(
  db: Executor,
  accountId: string,
  id: string,
): Promise<WorkflowRunRecord> {
  const [record] = await readWorkflowRuns(db, sql`runs.account_id = ${accountId} AND runs.id = ${id}`, 1);
  if (!record) throw new AppError('not_found');
  return record;
}
