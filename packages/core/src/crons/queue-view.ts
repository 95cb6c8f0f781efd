import { toStorableJson } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { JobHandle, QueueBackend } from '@gleaner/queue';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachAlone } from '../platform/process/for-each-alone.ts';

/**
 * Each enabled cron is also a job scheduler of BullMQ, so that operators see it in Bull Board. It is only a view: what
 * is early, late, lost or doubled in the queue changes no firing. Each is written once per change, because replacing one
 * drops its next job.
 */

const PAGE = 500;
/** How many are written at the same time. */
const PARALLEL = 50;
/** How long the job of a due time waits for its firing, at most. */
const LOOKS = 10;
const LOOK_MS = 500;

interface ViewServices {
  db: Database;
  queue: QueueBackend;
}

interface UnmirroredRow {
  id: string;
  definition: number;
  is_enabled: boolean;
  schedule: string;
  timezone: string;
  account_id: string;
  name: string;
}

/**
 * Writes the job schedulers of changed crons, and of all after the queue lost some. A cron that the queue refuses stays
 * as it is and stops no other. It throws when the queue or Postgres is unavailable, or refuses one.
 */
export async function showCrons({ db, queue }: ViewServices): Promise<void> {
  const [mirrored] = await db.sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM gleaner.crons WHERE is_mirrored AND is_enabled`;
  // The queue lost some.
  if ((await queue.countWakeUps()) < (mirrored?.count ?? 0))
    await db.sql`UPDATE gleaner.crons SET is_mirrored = false WHERE is_mirrored AND is_enabled`;
  let last = '';
  for (;;) {
    const rows = await db.sql<UnmirroredRow[]>`
      SELECT id, definition, is_enabled, schedule, timezone, account_id, name FROM gleaner.crons
      WHERE NOT is_mirrored AND id > ${last} ORDER BY id LIMIT ${PAGE}`;
    if (rows.length === 0) return;
    last = rows.at(-1)?.id ?? last;
    const shown: UnmirroredRow[] = [];
    const show = async (row: UnmirroredRow): Promise<void> => {
      const { id: cronId, schedule, timezone, account_id: account, name } = row;
      if (row.is_enabled) await queue.setWakeUps([{ cronId, schedule, timezone, account, name }]);
      else await queue.removeWakeUps([cronId]);
      shown.push(row);
    };
    try {
      await forEachAlone(rows, show, PARALLEL);
    } finally {
      await db.sql`
        UPDATE gleaner.crons c SET is_mirrored = true
        FROM jsonb_to_recordset(${toStorableJson(shown)}::text::jsonb) seen (id text, definition integer)
        WHERE c.id = seen.id AND c.definition = seen.definition`;
    }
  }
}

interface Latest {
  is_due: boolean;
  due: string | null;
  outcome: string | null;
  reason: string | null;
  run: string | null;
}

/** Shows the firing of a cron in its job, once it has fired. A cron that no longer fires loses its job scheduler. */
export async function showFiring({ db, queue }: ViewServices, cronId: string, job: JobHandle): Promise<void> {
  for (let look = 1; ; look += 1) {
    const [latest] = await db.sql<Latest[]>`
      SELECT c.next_fire_at <= now() AS is_due, f.scheduled_at AS due, f.outcome, f.reason, f.run_id AS run
      FROM gleaner.crons c LEFT JOIN LATERAL (
        SELECT * FROM gleaner.cron_firings n WHERE n.cron_id = c.id ORDER BY n.id DESC LIMIT 1
      ) f ON true
      WHERE c.id = ${cronId} AND c.is_enabled`;
    if (!latest) return queue.removeWakeUps([cronId]);
    const { is_due: isDue, due, ...firing } = latest;
    if (due !== null && (!isDue || look === LOOKS))
      await job.setProgress({ due: new Date(due).toISOString(), ...firing });
    if (!isDue || look === LOOKS) return;
    await delay(LOOK_MS);
  }
}
