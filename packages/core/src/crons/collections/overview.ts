import type { Context, OutputOf, Perform } from '../../platform/context.ts';
import { readCauses } from '../../runs/batches/batch-failures.ts';
import type { FoundRun } from '../../runs/submission/find-run.ts';

type Overview = OutputOf<'getOverview'>;
type Failure = Overview['causes'][number];

/** Results are kept for 24 hours, and with them the causes of failures. */
const MAX_RUNS = 20;
const MAX_JOBS = 200;
const MAX_PAUSED = 20;
const UPCOMING = 10;

interface FailedRun extends Pick<FoundRun, 'no' | 'target'> {
  /** The batch, the job or the workflow run that it belongs to. */
  id: string;
}

/** The parts of the latest batches and workflow runs that have failures: a workflow run has a part for each such stage. */
async function findFailedRuns({ services: { db }, accountId }: Context): Promise<FailedRun[]> {
  return db.sql<FailedRun[]>`
    WITH failed AS MATERIALIZED (
      SELECT r.no, r.target, coalesce(r.root_no, r.no) AS root FROM gleaner.runs r
      WHERE r.account_id = ${accountId} AND r.failed > 0 AND r.kind IN ('batch', 'stage')
        AND r.created_at > now() - interval '24 hours'
        AND NOT EXISTS (SELECT 1 FROM gleaner.stages s WHERE s.run_no = r.no AND s.role IN ('source', 'sources'))
    ), latest AS (SELECT root FROM failed GROUP BY root ORDER BY root DESC LIMIT ${MAX_RUNS})
    SELECT r.id, f.no::text AS no, f.target
    FROM latest JOIN failed f USING (root) JOIN gleaner.runs r ON r.no = latest.root ORDER BY r.no DESC, f.no`;
}

async function findFailedJobs({ services: { db }, accountId }: Context): Promise<FailedRun[]> {
  return db.sql<FailedRun[]>`
    SELECT id, no::text AS no, target FROM gleaner.runs
    WHERE account_id = ${accountId} AND kind = 'job' AND state = 'failed' AND created_at > now() - interval '24 hours'
    ORDER BY id DESC LIMIT ${MAX_JOBS}`;
}

/** Failures of the last day by cause, over all runs. */
async function readFailures(ctx: Context): Promise<Failure[]> {
  const found = new Map<string, Failure>();
  const add = (causes: Awaited<ReturnType<typeof readCauses>>, run: string | undefined): void => {
    for (const { cause, error, count, example } of causes) {
      const known = found.get(cause) ?? { cause, error, count: 0, example, runs: [], jobs: 0 };
      known.count += count;
      if (run === undefined) known.jobs += count;
      else known.runs.push(run);
      found.set(cause, known);
    }
  };
  const runs = Map.groupBy(await findFailedRuns(ctx), ({ id }) => id);
  for (const [id, parts] of runs) add(await readCauses(ctx, parts), id);
  const jobs = await findFailedJobs(ctx);
  if (jobs.length > 0) add(await readCauses(ctx, jobs), undefined);
  return [...found.values()].sort((a, b) => b.count - a.count);
}

export const getOverview: Perform<'getOverview'> = async (ctx) => {
  const { services, accountId } = ctx;
  const { sql } = services.db;
  const paused = await sql<Overview['paused']>`
    SELECT id, name, paused_reason AS reason FROM gleaner.crons
    WHERE account_id = ${accountId} AND NOT is_enabled AND paused_reason IS NOT NULL
    ORDER BY updated_at DESC, id LIMIT ${MAX_PAUSED}`;
  const upcoming = await sql<Overview['upcoming']>`
    SELECT id, name, next_fire_at AS at FROM gleaner.crons
    WHERE account_id = ${accountId} AND next_fire_at IS NOT NULL ORDER BY next_fire_at, id LIMIT ${UPCOMING}`;
  return {
    causes: await readFailures(ctx),
    paused: [...paused],
    upcoming: upcoming.map((firing) => ({ ...firing, at: new Date(firing.at).toISOString() })),
  };
};
