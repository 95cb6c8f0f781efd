import { toStorableJson } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { QueueBackend, WakeUp } from '@gleaner/queue';

const MIRRORED = 500;
const PAGE = 1_000;
/** A next job that is overdue by this time was lost. */
const OVERDUE_MS = 300_000;
const EPOCH = 'crons_epoch';

interface MirrorServices {
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

/** A queue that lost its data has another epoch, and all crons are mirrored again. */
async function noticeLoss({ db, queue }: MirrorServices): Promise<void> {
  const epoch = await queue.readEpoch();
  // Null: the sweep of chunks is about to write one.
  if (epoch === null) return;
  const [known] = await db.sql<{ value: string }[]>`SELECT value FROM gleaner.settings WHERE name = ${EPOCH}`;
  if (known?.value === epoch) return;
  await db.sql.begin(async (tx) => {
    await tx`UPDATE gleaner.crons SET is_mirrored = false WHERE is_mirrored AND is_enabled`;
    await tx`INSERT INTO gleaner.settings (name, value) VALUES (${EPOCH}, ${epoch})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  });
}

function toWakeUp(row: UnmirroredRow): WakeUp {
  return {
    cronId: row.id,
    schedule: row.schedule,
    timezone: row.timezone,
    account: row.account_id,
    name: row.name,
  };
}

/**
 * Updates the queue's job schedulers for changed crons. Each is written once per change, because replacing one drops its
 * next job. A cron that the queue refuses stays as it is and stops no other.
 * @throws when the queue or Postgres is unavailable or refuses a cron; such crons fire only by reading the table
 */
export async function mirrorCrons(services: MirrorServices): Promise<void> {
  const { db, queue } = services;
  await noticeLoss(services);
  let last = '';
  const errors: unknown[] = [];
  for (;;) {
    const rows = await db.sql<UnmirroredRow[]>`
      SELECT id, definition, is_enabled, schedule, timezone, account_id, name FROM gleaner.crons
      WHERE NOT is_mirrored AND id > ${last} ORDER BY id LIMIT ${MIRRORED}`;
    if (rows.length === 0) break;
    last = rows.at(-1)?.id ?? last;
    const written = await Promise.allSettled(
      rows.map(async (row) => {
        await (row.is_enabled ? queue.setWakeUps([toWakeUp(row)]) : queue.removeWakeUps([row.id]));
        return row;
      }),
    );
    errors.push(...written.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
    const mirrored = written.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (mirrored.length === 0) break;
    await db.sql`
      UPDATE gleaner.crons c SET is_mirrored = true
      FROM jsonb_to_recordset(${toStorableJson(mirrored)}::text::jsonb) seen (id text, definition integer)
      WHERE c.id = seen.id AND c.definition = seen.definition`;
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} crons were refused: ${String(errors[0])}`);
}

/** Compares all job schedulers with the table: removes those without a cron, and recreates lost or stopped ones. */
export async function repairWakeUps({ db, queue }: MirrorServices): Promise<void> {
  const alive = new Set<string>();
  for (let start = 0; ; start += PAGE) {
    const page = await queue.listWakeUps(start, start + PAGE - 1);
    for (const { cronId, nextAt } of page) {
      if (nextAt !== undefined && nextAt > Date.now() - OVERDUE_MS) alive.add(cronId);
    }
    const ids = page.map(({ cronId }) => cronId);
    const known = await db.sql<{ id: string }[]>`
      SELECT id FROM gleaner.crons WHERE is_enabled AND id IN (
        SELECT value FROM json_array_elements_text(${toStorableJson(ids)}::text::json) value)`;
    const knownIds = new Set(known.map(({ id }) => id));
    await queue.removeWakeUps(ids.filter((id) => !knownIds.has(id)));
    if (page.length < PAGE) break;
  }
  await db.sql`
    UPDATE gleaner.crons SET is_mirrored = false
    WHERE is_mirrored AND is_enabled AND id NOT IN (
      SELECT value FROM json_array_elements_text(${toStorableJson([...alive])}::text::json) value)`;
}
