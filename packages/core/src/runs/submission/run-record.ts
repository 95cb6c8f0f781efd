import type { ResultMode, RunState, Sink, Target } from '@gleaner/contracts';
import { sql } from 'drizzle-orm';
import type { RunConfig } from '../tasks/run-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** What the records of jobs and batches show of `runs`. */
export type RunColumns = {
  id: string;
  state: RunState;
  mode: ResultMode;
  target: TaskTarget;
  config: RunConfig;
  sink: Sink | null;
  /** Credits that the run may charge at most; null: the price of all tasks. */
  max_credits: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string | null;
  waiting: { tasks: number; reason: string; until: string } | null;
};

/** Selects them from `runs r`. */
export const RUN_COLUMNS = sql`r.id, r.state, r.mode, r.target, r.config, r.sink,
  CASE WHEN r.budget < r.total THEN r.budget * r.price END AS max_credits, r.created_at, r.started_at,
  r.finished_at, r.expires_at, (
    SELECT json_build_object('tasks', sum(c.remaining), 'until', min(c.not_before),
      'reason', (array_agg(c.waits_for ORDER BY c.not_before))[1])
    FROM gleaner.chunks c WHERE c.run_no = r.no AND c.state = 'pending' AND c.not_before > now() AND c.waits_for IS NOT NULL
    HAVING count(*) > 0
  ) AS waiting`;

/** The client's form of a target, with the parser's version that ran. */
function toPublicTarget(target: TaskTarget): Target {
  if (target.type === 'schema' || target.type === 'crawl') return { type: 'parser', parserId: '' };
  return target;
}

/** A time of Postgres in ISO 8601, UTC. */
export function toTime(text: string): string {
  return new Date(text).toISOString();
}

export function toOptionalTime(text: string | null): string | null {
  return text === null ? null : toTime(text);
}

/** The members of a record that jobs and batches have in common. The configuration lacks what may be secret. */
export function toRunMembers(row: RunColumns) {
  const { headers: _h, cookies: _c, keepPages, pages: _p, needs: _n, ...shown } = row.config;
  return {
    id: row.id,
    status: row.state,
    mode: row.mode,
    target: toPublicTarget(row.target),
    scrape_config: shown,
    sink: row.sink ?? ({ mode: 'return' } as const),
    max_credits: row.max_credits,
    keep_pages: keepPages ?? null,
    created_at: toTime(row.created_at),
    started_at: toOptionalTime(row.started_at),
    finished_at: toOptionalTime(row.finished_at),
    expires_at: toOptionalTime(row.expires_at),
    waiting: row.waiting && { ...row.waiting, until: toTime(row.waiting.until) },
  };
}
