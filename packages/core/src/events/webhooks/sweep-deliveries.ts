import type { Database } from '@gleaner/db';

const KEPT_DAYS = 30;
const BATCH = 10_000;

/** Forgets deliveries that ended 30 days ago and more, some thousands a call. Answers how many. */
export async function sweepDeliveries({ sql }: Database): Promise<number> {
  const { count } = await sql`
    DELETE FROM gleaner.outbox WHERE id IN (
      SELECT id FROM gleaner.outbox
      WHERE state <> 'pending' AND created_at < now() - ${KEPT_DAYS} * interval '1 day' LIMIT ${BATCH})`;
  return count;
}
