import { AppError, ERRORS, type JobRecord, type StoredError, type TaskPhases } from '@gleaner/contracts';
import type { Executor } from '@gleaner/db';
import { sql, type SQL } from 'drizzle-orm';
import { countHeld } from '../submission/filter-runs.ts';
import { fetchedByOf } from '../tasks/run-config.ts';
import { RUN_COLUMNS, toRunMembers, type RunColumns } from '../submission/run-record.ts';

type JobRow = RunColumns & {
  is_old: boolean;
  input: string | null;
  answer: string | null;
  error: StoredError | null;
  attempts: number | null;
  phases: TaskPhases | null;
  way: number | null;
  used: string;
  held: number;
};

function toTaskError({ code, field, detail, hint }: StoredError): NonNullable<JobRecord['error']> {
  return {
    error: ERRORS[code].text,
    ...(field === undefined ? {} : { field }),
    ...(detail === undefined ? {} : { detail }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** The way of the last attempt and what it cost; null until the job has an outcome. */
function toFetched({ config, way, state, used }: JobRow): Pick<JobRecord, 'fetched_by' | 'price'> {
  if (state !== 'succeeded' && state !== 'failed') return { fetched_by: null, price: null };
  const { useBrowser = null, proxy = null, ways = null, pages = null } = config;
  return { fetched_by: fetchedByOf({ useBrowser, proxy, ways, pages }, way), price: Number(used) };
}

function toRecord(row: JobRow): JobRecord {
  const isApi = row.target.type === 'api';
  return {
    ...toRunMembers(row),
    url: isApi ? null : row.input,
    input: isApi && row.input !== null ? (JSON.parse(row.input) as Record<string, unknown>) : null,
    result_removed: row.is_old && row.state === 'succeeded' && row.mode === 'return',
    result: row.answer === null ? null : (JSON.parse(row.answer) as unknown),
    error: row.error === null ? null : toTaskError(row.error),
    attempts: row.attempts ?? 0,
    phases: row.phases,
    ...toFetched(row),
    credits_used: Number(row.used),
    has_failures: row.state === 'failed',
    held: row.held,
  };
}

/** Jobs, newest first. @param input.withAnswers also read the results */
export async function readJobs(
  db: Executor,
  input: { where: SQL; limit: number; withAnswers: boolean },
): Promise<JobRecord[]> {
  const rows = await db.execute<JobRow>(sql`
      SELECT ${RUN_COLUMNS}, t.input, o.error, o.phases, o.way, r.used, ${countHeld(sql`r.no`)} AS held, coalesce(r.created_at <= now() - interval '24 hours' OR r.expires_at <= now(), false) AS is_old, ${input.withAnswers ? sql`o.answer` : sql`NULL`} AS answer,
        coalesce(o.attempts, (SELECT max(c.tries) + CASE WHEN bool_or(c.state = 'running') THEN 1 ELSE 0 END
          FROM gleaner.chunks c WHERE c.run_no = r.no)) AS attempts
      FROM (SELECT * FROM gleaner.runs WHERE kind = 'job' AND ${input.where} ORDER BY id DESC LIMIT ${input.limit}) r
      LEFT JOIN gleaner.tasks t ON t.run_no = r.no AND t.seq = 0
      LEFT JOIN gleaner.results o ON o.run_no = r.no AND o.seq = 0 AND r.created_at > now() - interval '24 hours'
        AND (r.expires_at IS NULL OR r.expires_at > now())
      ORDER BY r.id DESC`);
  return rows.map(toRecord);
}

/** @throws AppError not_found */
export async function readJobRecord(db: Executor, accountId: string, id: string): Promise<JobRecord> {
  const where = sql`account_id = ${accountId} AND id = ${id}`;
  const [record] = await readJobs(db, { where, limit: 1, withAnswers: true });
  if (!record) throw new AppError('not_found');
  return record;
}
