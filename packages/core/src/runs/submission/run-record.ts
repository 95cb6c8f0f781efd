import type { JobRecord, ResultMode, RunState, ScrapeConfig, Sink, Target } from '@gleaner/contracts';
import { sql, type SQL } from 'drizzle-orm';
import type { StoredConfig } from '../../platform/secrets/sealed-config.ts';
import { selectRemovals, type Removals } from './run-removals.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** Failed tasks that wait for their next attempt. */
export interface WaitingRow {
  tasks: number;
  reason: string;
  until: string;
}

/** What the records of jobs and batches show of `runs`. */
export type RunColumns = {
  id: string;
  state: RunState;
  mode: ResultMode;
  target: TaskTarget;
  config: StoredConfig<RunConfig>;
  sink: Sink | null;
  /** Credits that the run may charge at most; null: the price of all tasks. */
  max_credits: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string | null;
  waiting: WaitingRow | null;
  rows: RowChanges;
  removals: Removals;
};

/** What waits for its next attempt among the chunks `c` of one or more runs. */
export function selectWaiting(of: SQL): SQL {
  return sql`(
    SELECT json_build_object('tasks', sum(c.remaining), 'until', min(c.not_before),
      'reason', (array_agg(c.waits_for ORDER BY c.not_before))[1])
    FROM gleaner.chunks c WHERE ${of} AND c.state = 'pending' AND c.not_before > now() AND c.waits_for IS NOT NULL
    HAVING count(*) > 0
  )`;
}

/** What a run changed; null without a table that keeps its changes. */
export type RowChanges = JobRecord['rows'];

/** Selects what runs changed in all. @param runs their numbers: an expression, or a SELECT */
export function selectRowChanges(runs: SQL): SQL {
  return sql`(
    SELECT json_build_object('new', sum(n.rows_new)::float8, 'changed', sum(n.rows_changed)::float8,
      'removed', sum(n.rows_removed)::float8, 'returned', sum(n.rows_returned)::float8)
    FROM gleaner.runs n WHERE n.no IN (${runs}) HAVING count(n.rows_new) > 0
  )`;
}

/** Selects them from `runs r`. */
export const RUN_COLUMNS = sql`r.id, r.state, r.mode, r.target, r.config, r.sink,
  coalesce(r.max_credits, CASE WHEN r.budget < r.total THEN r.budget * r.price END)::float8 AS max_credits, r.created_at, r.started_at,
  r.finished_at, r.expires_at, ${selectWaiting(sql`c.run_no = r.no`)} AS waiting, ${selectRowChanges(sql`r.no`)} AS rows,
  ${selectRemovals(sql`r.no`)} AS removals`;

/** The client's form of a target, with the parser's version that ran. */
function toPublicTarget(target: TaskTarget): Target {
  if (target.type === 'schema') return { type: 'parser', parserId: target.parserId ?? '', version: null };
  if (target.type === 'crawl') return { type: 'parser', parserId: '' };
  return target;
}

/** A time of Postgres in ISO 8601, UTC. */
export function toTime(text: string): string {
  return new Date(text).toISOString();
}

export function toOptionalTime(text: string | null): string | null {
  return text === null ? null : toTime(text);
}

export function toWaiting(row: WaitingRow | null): WaitingRow | null {
  return row && { ...row, until: toTime(row.until) };
}

/** A run's configuration without what may be secret. */
export function toShownConfig(config: StoredConfig<RunConfig>): ScrapeConfig {
  const { sealed: _s, keepPages: _k, pages: _p, needs: _n, carry: _r, ways: _w, ...rest } = config;
  const { headers: _h, cookies: _c, ...shown }: ScrapeConfig = rest;
  return shown;
}

/** The members of a record that jobs and batches have in common. */
export function toRunMembers(row: RunColumns) {
  return {
    id: row.id,
    status: row.state,
    mode: row.mode,
    target: toPublicTarget(row.target),
    scrape_config: toShownConfig(row.config),
    sink: row.sink ?? ({ mode: 'return' } as const),
    max_credits: row.max_credits,
    keep_pages: row.config.keepPages ?? null,
    created_at: toTime(row.created_at),
    started_at: toOptionalTime(row.started_at),
    finished_at: toOptionalTime(row.finished_at),
    expires_at: toOptionalTime(row.expires_at),
    waiting: toWaiting(row.waiting),
    rows: row.rows,
    ...row.removals,
  };
}
