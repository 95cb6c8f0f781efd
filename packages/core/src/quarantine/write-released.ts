import { AppError, type Sink, cutText } from '@gleaner/contracts';
import type { Services } from '../platform/context.ts';
import { openRunSink, type RunSinkDeps } from '../runs/submission/run-sink.ts';
import { forEachAlone } from '../platform/process/for-each-alone.ts';
import { carriedColumns, readColumnValues } from '../runs/stages/input-values.ts';
import type { StageSpec } from '../runs/stages/stage-spec.ts';
import type { RunConfig } from '../runs/tasks/run-config.ts';
import type { TaskTarget } from '../runs/tasks/task-spec.ts';
import { writeAnswers, type StoredAnswer } from '../storage/sinks/write-answers.ts';

/** Runs of one round, those of many accounts before several of one. */
const RUNS_AT_ONCE = 50;
const ACCOUNTS_AT_ONCE = 16;
/** An account's part of a round begins nothing new after this time. */
const ACCOUNT_MS = 5_000;
const ROWS_AT_ONCE = 500;
/** The most text of their answers: each but the first one. */
const TEXT_AT_ONCE = 8 * 1024 * 1024;
/** How long a row stays after it was held back. */
const KEPT_DAYS = 30;
const REMOVED_AT_ONCE = 5_000;

interface RunRow {
  no: string;
  id: string;
  account_id: string;
  target: TaskTarget;
  config: RunConfig;
  /** Null when the run is no stage of a workflow. */
  stage: StageSpec | null;
  sink: Sink | null;
}

type ReleaseServices = RunSinkDeps & Pick<Services, 'log'>;

/** Rows that could not be written wait for a person again. */
async function holdAgain(
  { db }: ReleaseServices,
  no: string,
  seqs: readonly number[],
  reason: string,
): Promise<void> {
  await db.sql`UPDATE gleaner.quarantined_rows SET state = 'held', reason = ${cutText(reason, 500)}
    WHERE run_no = ${no} AND state = 'releasing' AND seq = ANY (${`{${seqs.join(',')}}`}::text::int[])`;
}

async function releaseOne(deps: ReleaseServices, run: RunRow): Promise<number> {
  const { sql } = deps.db;
  const held = await sql<StoredAnswer[]>`
    SELECT seq, url, answer, fetched_at
    FROM gleaner.quarantined_rows WHERE run_no = ${run.no} AND state = 'releasing' AND seq IN (
      SELECT seq FROM (
        SELECT seq, sum(octet_length(answer)) OVER (ORDER BY seq) - octet_length(answer) AS before FROM (
          SELECT seq, answer FROM gleaner.quarantined_rows WHERE run_no = ${run.no} AND state = 'releasing'
          ORDER BY seq LIMIT ${ROWS_AT_ONCE}
        ) first
      ) sized WHERE before < ${TEXT_AT_ONCE}
    ) ORDER BY seq`;
  const seqs = held.map(({ seq }) => seq);
  try {
    if (run.sink?.mode !== 'database') throw new AppError('not_found', { detail: 'the run has no table' });
    const { id, account_id: accountId, target, sink: given, stage } = run;
    const columns = carriedColumns(run);
    const sink = await openRunSink(deps, {
      id: stage?.rootId ?? id,
      accountId,
      target,
      sink: given,
      carried: columns,
    });
    const valuesOf = await readColumnValues(deps, { run: run.no, columns, tasks: held });
    const refused = await writeAnswers({ ...deps, runNo: run.no }, sink, held, valuesOf);
    for (const [seq, reason] of refused) await holdAgain(deps, run.no, [seq], reason);
    await sql`UPDATE gleaner.quarantined_rows SET state = 'released'
      WHERE run_no = ${run.no} AND state = 'releasing' AND seq = ANY (${`{${seqs.join(',')}}`}::text::int[])`;
    return held.length;
  } catch (error) {
    // An upsert that is repeated does no harm, but one sink that fails must not hold up others.
    if (!(error instanceof AppError)) deps.log.warn({ err: error, runId: run.id }, 'rows were not released');
    const reason = error instanceof AppError ? error.message : 'the row was not written';
    await holdAgain(deps, run.no, seqs, reason);
    return 0;
  }
}

/**
 * Writes rows that were released: of several accounts at once, and of each for a few seconds, so that a database that
 * doesn't answer delays only its owner. The next round continues.
 * @returns how many
 */
export async function writeReleased(deps: ReleaseServices): Promise<number> {
  const runs = await deps.db.sql<RunRow[]>`
    SELECT no, id, account_id, target, config, sink, stage FROM (
      SELECT r.no::text AS no, r.id, r.account_id, r.target, r.config, r.sink, s.plan AS stage,
        row_number() OVER (PARTITION BY r.account_id ORDER BY r.no) AS place
      FROM gleaner.runs r LEFT JOIN gleaner.stages s ON s.run_no = r.no
      WHERE r.no IN (SELECT q.run_no FROM gleaner.quarantined_rows q WHERE q.state = 'releasing')
    ) waiting ORDER BY place, random() LIMIT ${RUNS_AT_ONCE}`;
  const byAccount = Map.groupBy(runs, (run) => run.account_id);
  let count = 0;
  await forEachAlone(
    [...byAccount.values()],
    async (own) => {
      const until = performance.now() + ACCOUNT_MS;
      for (const run of own) {
        if (performance.now() > until) return;
        const written = await releaseOne(deps, run);
        count += written;
      }
    },
    ACCOUNTS_AT_ONCE,
  );
  return count;
}

/** Removes rows that were held back long ago, in any state. @returns how many */
export async function sweepQuarantine({ db }: Pick<Services, 'db'>): Promise<number> {
  const { count } = await db.sql`
    DELETE FROM gleaner.quarantined_rows WHERE (run_no, seq) IN (
      SELECT run_no, seq FROM gleaner.quarantined_rows
      WHERE created_at < now() - ${KEPT_DAYS} * interval '1 day' ORDER BY created_at LIMIT ${REMOVED_AT_ONCE})`;
  return count;
}
