import { ENGINE, type Executor } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import type { OutputOf } from '../platform/context.ts';
import { selectRowChanges } from '../runs/submission/run-record.ts';
import { selectRemovals } from '../runs/submission/run-removals.ts';
import { countHeld } from '../runs/submission/filter-runs.ts';

type RunCounts = NonNullable<OutputOf<'listCronRuns'>['runs'][number]['run']>;

/** The runs of firings by their identifiers, with what became of their inputs; of a workflow's run, over all stages. */
export async function readRunCounts(
  db: Executor,
  accountId: string,
  firings: readonly { runId: string | null }[],
): Promise<Map<string, RunCounts>> {
  const ids = firings.flatMap(({ runId }) => (runId === null ? [] : [runId]));
  if (ids.length === 0) return new Map();
  const rows = await db.execute<RunCounts & { id: string }>(sql`
      SELECT r.id, sum(c.total)::int AS total, sum(c.succeeded)::int AS succeeded,
        sum(c.failed)::int AS failed,
        ${countHeld(sql`SELECT r.no UNION ALL SELECT h.run_no FROM gleaner.stages h WHERE h.root_no = r.no`)} AS held,
        ${selectRowChanges(sql`SELECT r.no UNION ALL SELECT h.run_no FROM gleaner.stages h WHERE h.root_no = r.no`)} AS rows,
        ${selectRemovals(sql`r.no`)} ->> 'publication' AS publication,
        CASE WHEN r.state = 'pending' AND sum(c.running + c.succeeded + c.failed) > 0 THEN 'running'
          ELSE r.state END AS status
      FROM gleaner.runs r LEFT JOIN gleaner.stages s ON s.root_no = r.no AND s.role IS DISTINCT FROM 'source'
      CROSS JOIN LATERAL ${sql.identifier(ENGINE)}.count_run(coalesce(s.run_no, r.no)) c
      WHERE r.account_id = ${accountId} AND r.kind IN ('batch', 'workflow') AND r.id IN (${sql.join(ids, sql`, `)})
      GROUP BY r.id, r.no, r.state`);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
