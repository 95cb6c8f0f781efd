import {
  AppError,
  ERRORS,
  type JobRecord,
  type ScrapeConfig,
  type Sink,
  type StoredError,
  type TaskPhases,
  type ResultMode,
} from '@gleaner/contracts';
import type { Executor } from '@gleaner/db';
import { sql, type SQL } from 'drizzle-orm';
import {
  toOptionalTime,
  toPublicTarget,
  toShownConfig,
  toShownSink,
  toTime,
} from '../submission/run-record.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

interface JobRow {
  id: string;
  state: JobRecord['status'];
  mode: ResultMode;
  target: TaskTarget;
  config: ScrapeConfig;
  sink: Sink | null;
  is_old: boolean;
  input: string | null;
  ok: boolean | null;
  answer: string | null;
  error: StoredError | null;
  attempts: number | null;
  phases: TaskPhases | null;
  used: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string | null;
}

function toTaskError({ code, field, detail, hint }: StoredError): NonNullable<JobRecord['error']> {
  return {
    error: ERRORS[code].text,
    ...(field === undefined ? {} : { field }),
    ...(detail === undefined ? {} : { detail }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function toRecord(row: JobRow): JobRecord {
  const isApi = row.target.type === 'api';
  return {
    id: row.id,
    status: row.state,
    target: toPublicTarget(row.target),
    url: isApi ? null : row.input,
    input: isApi && row.input !== null ? (JSON.parse(row.input) as Record<string, unknown>) : null,
    mode: row.mode,
    scrape_config: toShownConfig(row.config),
    sink: toShownSink(row.sink),
    result_removed: row.is_old && row.state === 'succeeded' && row.mode === 'return',
    result: row.answer === null ? null : (JSON.parse(row.answer) as unknown),
    error: row.error === null ? null : toTaskError(row.error),
    attempts: row.attempts ?? 0,
    phases: row.phases,
    credits_used: Number(row.used),
    created_at: toTime(row.created_at),
    started_at: toOptionalTime(row.started_at),
    finished_at: toOptionalTime(row.finished_at),
    expires_at: toOptionalTime(row.expires_at),
  };
}

// The columns that the query below names.
function asRows(rows: unknown): JobRow[] {
  return rows as JobRow[];
}

/** Jobs, newest first. @param input.withAnswers also read the results */
export async function readJobs(
  db: Executor,
  input: { where: SQL; limit: number; withAnswers: boolean },
): Promise<JobRecord[]> {
  return asRows(
    await db.execute(sql`
      SELECT r.id, r.state, r.mode, r.target, r.config, r.sink, t.input, o.ok, o.error, o.phases, r.used, r.created_at, r.started_at, r.finished_at,
        r.expires_at, r.created_at <= now() - interval '24 hours' AS is_old, ${input.withAnswers ? sql`o.answer` : sql`NULL`} AS answer,
        coalesce(o.attempts, (SELECT max(c.tries) + CASE WHEN bool_or(c.state = 'running') THEN 1 ELSE 0 END
          FROM gleaner.chunks c WHERE c.run_no = r.no)) AS attempts
      FROM (SELECT * FROM gleaner.runs WHERE kind = 'job' AND ${input.where} ORDER BY id DESC LIMIT ${input.limit}) r
      LEFT JOIN gleaner.tasks t ON t.run_no = r.no AND t.seq = 0
      LEFT JOIN gleaner.results o ON o.run_no = r.no AND o.seq = 0 AND r.created_at > now() - interval '24 hours'
      ORDER BY r.id DESC`),
  ).map(toRecord);
}

/** @throws AppError not_found */
export async function readJobRecord(db: Executor, accountId: string, id: string): Promise<JobRecord> {
  const where = sql`account_id = ${accountId} AND id = ${id}`;
  const [record] = await readJobs(db, { where, limit: 1, withAnswers: true });
  if (!record) throw new AppError('not_found');
  return record;
}
