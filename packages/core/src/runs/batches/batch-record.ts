import { AppError, type BatchRecord } from '@gleaner/contracts';
import { ENGINE, type Executor } from '@gleaner/db';
import { sql, type SQL } from 'drizzle-orm';
import { sourceColumn, toShownSource, type SourceColumns } from '../submission/source-record.ts';
import { countHeld } from '../submission/filter-runs.ts';
import { RUN_COLUMNS, toRunMembers, type RunColumns } from '../submission/run-record.ts';

type BatchRow = RunColumns & {
  name: string | null;
  total: number;
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  waiting_for_sink: number;
  quarantined: number;
  rows_kept: string;
  source: SourceColumns | null;
  reserved: string;
  used: string;
};

function toRecord(row: BatchRow): BatchRecord {
  return {
    ...toRunMembers(row),
    name: row.name,
    has_failures: row.failed > 0,
    held: row.quarantined,
    carry: row.config.carry ?? null,
    ...toShownSource(row.source),
    counts: {
      total: row.total,
      pending: row.pending,
      running: row.running,
      succeeded: row.succeeded,
      failed: row.failed,
      cancelled: row.cancelled,
      waiting_for_sink: row.waiting_for_sink,
      quarantined: row.quarantined,
      rows_kept: Number(row.rows_kept),
    },
    credits: { reserved: Number(row.reserved), used: Number(row.used) },
  };
}

/** Batches with their counts, newest first. The counts of one batch come from one snapshot. */
export async function readBatches(db: Executor, where: SQL, limit: number): Promise<BatchRecord[]> {
  const rows = await db.execute<BatchRow>(sql`
      SELECT ${RUN_COLUMNS}, r.name, r.rows_kept, ${sourceColumn(sql`q.run_no = r.no`)}, c.total, c.pending, c.running, c.succeeded, c.failed, c.cancelled, c.waiting_for_sink, c.reserved, c.used,
        ${countHeld(sql`r.no`)} AS quarantined
      FROM (SELECT * FROM gleaner.runs WHERE kind = 'batch' AND ${where} ORDER BY id DESC LIMIT ${limit}) r
      CROSS JOIN LATERAL ${sql.identifier(ENGINE)}.count_run(r.no) c ORDER BY r.id DESC`);
  return rows.map(toRecord);
}

/** @throws AppError not_found */
export async function readBatchRecord(db: Executor, accountId: string, id: string): Promise<BatchRecord> {
  const [record] = await readBatches(db, sql`account_id = ${accountId} AND id = ${id}`, 1);
  if (!record) throw new AppError('not_found');
  return record;
}
