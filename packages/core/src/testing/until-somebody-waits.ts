import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@gleaner/db';

/** Resolves when a statement of this database waits for a lock. */
export async function untilSomebodyWaits({ sql }: Pick<Database, 'sql'>): Promise<void> {
  for (;;) {
    const waiting = await sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    if (waiting.length > 0) return;
    await delay(5);
  }
}
