import type { CronRecord, FiringRecord } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { desc, inArray } from 'drizzle-orm';
import type { WithSecretKey } from '../parsers/read-parsers.ts';
import { readRunCounts } from './firing-runs.ts';
import { readWork, type CronRow } from './cron-submission.ts';

const { cronFirings } = tables;

export type FiringRow = typeof cronFirings.$inferSelect;

export function toFiringRecord(row: FiringRow): FiringRecord {
  const { id, scheduledAt, firedAt, outcome, reason, runId, cause } = row;
  return { id, scheduled_at: scheduledAt, fired_at: firedAt, outcome, reason, run_id: runId, cause };
}

function toCronRecord(
  services: WithSecretKey,
  row: Omit<CronRow, 'inputs'>,
  last: CronRecord['last_firing'],
): CronRecord {
  const { target, scrapeConfig, sink, source, since, carry } = readWork(services, { ...row, inputs: null });
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    url: row.url,
    source,
    since,
    input_count: row.inputCount,
    schedule: row.schedule,
    timezone: row.timezone,
    target,
    scrape_config: scrapeConfig,
    sink,
    enabled: row.isEnabled,
    overlap: row.overlap,
    catchup_seconds: row.catchupSeconds,
    pause_after_failures: row.pauseAfterFailures,
    max_credits: row.maxCredits,
    keep_pages: row.keepPages,
    carry,
    next_run_at: row.nextFireAt,
    failures: row.failures,
    paused_reason: row.pausedReason,
    last_firing: last,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** Records of crons of one account without their inputs, each with its latest firing. */
export async function toCronRecords(
  services: WithSecretKey,
  db: Executor,
  rows: readonly Omit<CronRow, 'inputs'>[],
): Promise<CronRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const firings = await db
    .selectDistinctOn([cronFirings.cronId])
    .from(cronFirings)
    .where(inArray(cronFirings.cronId, ids))
    .orderBy(cronFirings.cronId, desc(cronFirings.id));
  const runs = await readRunCounts(db, rows[0]?.accountId ?? '', firings);
  const latest = new Map(
    firings.map((firing) => [
      firing.cronId,
      { ...toFiringRecord(firing), run: runs.get(firing.runId ?? '') ?? null },
    ]),
  );
  return rows.map((row) => toCronRecord(services, row, latest.get(row.id) ?? null));
}

/** The record with its inputs. */
export async function toWholeRecord(
  services: WithSecretKey,
  db: Executor,
  row: CronRow,
): Promise<CronRecord> {
  const [record] = await toCronRecords(services, db, [row]);
  if (!record) throw new Error('a row gave no record');
  const { inputs } = readWork(services, row);
  return { ...record, inputs: inputs === null ? null : [...inputs] };
}
