import type { JobHandle, QueueBackend } from '@gleaner/queue';
import type { Database } from '@gleaner/db';
import type { CronFirer } from '../firings/cron-firer.ts';

interface Latest {
  is_enabled: boolean;
  scheduled_at: string | null;
  outcome: string | null;
  reason: string | null;
  run_id: string | null;
}

/**
 * Handles a wake-up of the queue: starts a round of the scheduler, and shows the cron's latest firing in Bull Board.
 * Postgres decides what is due, so early, late and duplicate wake-ups are harmless.
 */
export async function handleWakeUp(
  deps: { db: Database; queue: QueueBackend; firer: CronFirer },
  cronId: string,
  job: JobHandle,
): Promise<void> {
  await deps.firer.look();
  await deps.firer.settled();
  const [latest] = await deps.db.sql<Latest[]>`
    SELECT c.is_enabled, f.scheduled_at, f.outcome, f.reason, f.run_id FROM gleaner.crons c
    LEFT JOIN LATERAL (
      SELECT * FROM gleaner.cron_firings n WHERE n.cron_id = c.id ORDER BY n.id DESC LIMIT 1
    ) f ON true
    WHERE c.id = ${cronId}`;
  if (!latest?.is_enabled) {
    await deps.queue.removeWakeUps([cronId]);
    return;
  }
  const { scheduled_at: due, outcome, reason, run_id: run } = latest;
  if (due === null || outcome === null) return;
  await job.setProgress({ due: new Date(due).toISOString(), outcome, reason, run });
  await job.addLog(
    `due ${new Date(due).toISOString()}: ${outcome}${run === null ? '' : ` as ${run}`}${reason === null ? '' : ` (${reason})`}`,
  );
}
