import { ID_PREFIXES } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';

const SETTLED = 500;
const KEPT_DAYS = 90;
const REMOVED = 10_000;

/** Looks for runs of firings that have ended: failures in a row pause their cron. */
export async function settleFirings({ sql }: Database): Promise<void> {
  let count = SETTLED;
  while (count >= SETTLED) {
    const [row] = await sql<{ count: number }[]>`SELECT engine.settle_firings(${SETTLED}) AS count`;
    count = row?.count ?? 0;
  }
}

/** Forgets firings that are older than 90 days, some thousands a call. */
export async function sweepFirings({ sql }: Database): Promise<void> {
  // Identifiers begin with the time of their creation.
  await sql`
    DELETE FROM gleaner.cron_firings WHERE id IN (
      SELECT id FROM gleaner.cron_firings
      WHERE id < engine.create_id(${ID_PREFIXES.firing}, now() - ${KEPT_DAYS} * interval '1 day')
        AND outcome <> 'queued' AND NOT is_live
      ORDER BY id LIMIT ${REMOVED})`;
}
