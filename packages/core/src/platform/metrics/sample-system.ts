import type { Database } from '@gleaner/db';
import { ALIVE_SECONDS } from '../workers/heartbeat.ts';
import { readQueueAges } from './read-levels.ts';

/** How the installation was at a time. */
interface SystemSample {
  at: string;
  queue_age_seconds: number | null;
  memory_bytes: number | null;
  waiting: number;
}

/** Notes how old the oldest waiting work is, the memory of all workers, and how many pages wait, and forgets what is older than a day. */
export async function sampleSystem(db: Database): Promise<void> {
  const ages = await readQueueAges(db);
  const oldest = ages.length === 0 ? null : Math.max(0, ...ages.map(({ age }) => age));
  await db.sql`
    INSERT INTO gleaner.system_samples (at, queue_age_seconds, memory_bytes, waiting)
    SELECT date_bin('5 minutes', now(), 'epoch'), ${oldest}::float8, (
      SELECT sum((v ->> 'value')::float8) FROM gleaner.workers w
      CROSS JOIN LATERAL jsonb_array_elements(w.metrics) m CROSS JOIN LATERAL jsonb_array_elements(m -> 'values') v
      WHERE w.seen_at > now() - ${ALIVE_SECONDS} * interval '1 second' AND m ->> 'name' = 'process_resident_memory_bytes'
    ), (
      SELECT coalesce(sum(c.remaining), 0) FROM gleaner.chunks c
      WHERE c.state = 'pending' AND c.not_before > now() AND c.waits_for IS NOT NULL
    ) ON CONFLICT DO NOTHING`;
  await db.sql`DELETE FROM gleaner.system_samples WHERE at < now() - interval '25 hours'`;
}

/** The samples of the last day, oldest first. */
export async function readSamples({ sql }: Database): Promise<SystemSample[]> {
  const rows = await sql<(Omit<SystemSample, 'waiting'> & { waiting: string })[]>`
    SELECT at, queue_age_seconds, memory_bytes, waiting FROM gleaner.system_samples
    WHERE at > now() - interval '1 day' ORDER BY at`;
  return rows.map(({ at, waiting, ...row }) => ({
    ...row,
    at: new Date(at).toISOString(),
    waiting: Number(waiting),
  }));
}
