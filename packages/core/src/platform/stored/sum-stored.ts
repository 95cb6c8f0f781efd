import type { Database } from '@gleaner/db';
import { repeatWhileFull } from '../process/repeat-while-full.ts';

const FOLDED_AT_ONCE = 5_000;
const MEASURED_AT_ONCE = 200;
/** A round ends after this time; the next one continues with the accounts that waited longest. */
const ROUND_MS = 10_000;

/**
 * Adds up a part of what was appended: who writes for a run appends a row, and waits for no lock. A run that never came to be is
 * forgotten after an hour.
 * @returns how many rows
 */
async function foldStored({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    WITH chosen AS MATERIALIZED (
      SELECT d.id, coalesce(d.account_id, r.account_id) AS account_id
      FROM gleaner.stored_deltas d LEFT JOIN gleaner.runs r ON r.no = d.run_no AND d.account_id IS NULL
      WHERE d.account_id IS NOT NULL OR r.no IS NOT NULL OR d.created_at < now() - interval '1 hour'
      ORDER BY d.id LIMIT ${FOLDED_AT_ONCE} FOR UPDATE OF d SKIP LOCKED
    ), gone AS (
      DELETE FROM gleaner.stored_deltas d USING chosen c WHERE d.id = c.id RETURNING c.account_id, d.run_no, d.bytes
    ), runs AS (
      INSERT INTO gleaner.run_bytes AS b (run_no, account_id, bytes)
      SELECT g.run_no, g.account_id, sum(g.bytes) FROM gone g
      WHERE g.run_no IS NOT NULL AND g.account_id IS NOT NULL GROUP BY g.run_no, g.account_id
      ON CONFLICT (run_no) DO UPDATE SET bytes = b.bytes + excluded.bytes
    ), sums AS (
      INSERT INTO gleaner.stored_bytes AS s (account_id, bytes, changed_at)
      SELECT g.account_id, sum(g.bytes), clock_timestamp() FROM gone g JOIN gleaner.accounts a ON a.id = g.account_id
      GROUP BY g.account_id ORDER BY g.account_id
      ON CONFLICT (account_id) DO UPDATE SET bytes = s.bytes + excluded.bytes, changed_at = excluded.changed_at
    ) SELECT count(*)::int AS count FROM gone`;
  return row?.count ?? 0;
}

/**
 * Measures what an account stores, all kinds but those that are appended. The sizes of long values are those on the disk, and are
 * known without reading them.
 */
async function measureStored({ sql }: Pick<Database, 'sql'>, account: string): Promise<void> {
  await sql`
    WITH free AS MATERIALIZED (
      SELECT coalesce(sum(f.bytes), 0) AS bytes FROM (
        SELECT sum(200 + coalesce(pg_column_size(p.scrape_config), 0)) AS bytes FROM gleaner.parsers p WHERE p.account_id = ${account}
        UNION ALL
        SELECT sum(100 + pg_column_size(n.schema) + coalesce(pg_column_size(n.source), 0))
        FROM gleaner.parsers p JOIN gleaner.parser_versions n ON n.parser_id = p.id WHERE p.account_id = ${account}
        UNION ALL
        SELECT sum(200 + pg_column_size(n.html) + coalesce(pg_column_size(n.expected), 0))
        FROM gleaner.parsers p JOIN gleaner.parser_samples n ON n.parser_id = p.id WHERE p.account_id = ${account}
        UNION ALL
        SELECT sum(200 + pg_column_size(w.definition)) FROM gleaner.workflows w WHERE w.account_id = ${account}
        UNION ALL
        SELECT sum(500 + coalesce(pg_column_size(c.inputs), 0) + pg_column_size(c.scrape_config)) FROM gleaner.crons c
        WHERE c.account_id = ${account}
        UNION ALL
        SELECT sum(150 + coalesce(pg_column_size(i.answer), 0)) FROM gleaner.idempotency_keys i WHERE i.account_id = ${account}
      ) f
    ), kept AS MATERIALIZED (
      SELECT coalesce(sum(u.bytes), 0) AS bytes FROM gleaner.blob_usage u WHERE u.account_id = ${account}
    ), others AS MATERIALIZED (
      SELECT coalesce(sum(o.bytes), 0) AS bytes FROM (
        SELECT sum(b.bytes) AS bytes FROM gleaner.run_bytes b WHERE b.account_id = ${account}
        UNION ALL
        SELECT count(*) * 500 FROM gleaner.kept_pages k WHERE k.account_id = ${account}
        UNION ALL
        SELECT sum(100 + pg_column_size(h.stats)) FROM gleaner.parsers p JOIN gleaner.parser_health h ON h.parser_id = p.id
        WHERE p.account_id = ${account}
        UNION ALL
        SELECT sum(300 + pg_column_size(q.answer) + pg_column_size(q.url)) FROM gleaner.quarantined_rows q
        WHERE q.account_id = ${account}
        UNION ALL
        SELECT sum(400 + pg_column_size(d.payload) + coalesce(pg_column_size(d.response_body), 0)) FROM gleaner.outbox d
        WHERE d.account_id = ${account}
        UNION ALL
        SELECT count(*) * 80 FROM gleaner.crons c JOIN gleaner.source_marks m ON m.cron_no = c.no WHERE c.account_id = ${account}
        UNION ALL
        SELECT sum(pg_total_relation_size(t.oid)) FROM gleaner.databases d JOIN pg_namespace n ON n.nspname = d.id
        JOIN pg_class t ON t.relnamespace = n.oid AND t.relkind IN ('r', 'm')
        WHERE d.account_id = ${account} AND d.kind = 'managed'
      ) o
    )
    INSERT INTO gleaner.stored_bytes AS s (account_id, bytes, free_bytes, kept_bytes, measured_at, took)
    SELECT a.id, free.bytes + kept.bytes + others.bytes, free.bytes, kept.bytes, now(), clock_timestamp() - now()
    FROM free CROSS JOIN kept CROSS JOIN others JOIN gleaner.accounts a ON a.id = ${account}
    ON CONFLICT (account_id) DO UPDATE SET bytes = excluded.bytes, free_bytes = excluded.free_bytes,
      kept_bytes = excluded.kept_bytes, measured_at = excluded.measured_at, took = excluded.took`;
}

/**
 * Adds up what was appended, and measures accounts whose sum is due, the oldest first: those that changed, 15 s after their last
 * measurement, or 20 times as long as it took; and each within an hour, as retention removes rows.
 */
export async function sumStored(db: Pick<Database, 'sql'>): Promise<void> {
  const until = performance.now() + ROUND_MS;
  await repeatWhileFull(FOLDED_AT_ONCE, () => foldStored(db));
  const due = await db.sql<{ id: string }[]>`
    SELECT s.account_id AS id FROM gleaner.stored_bytes s
    WHERE s.measured_at < clock_timestamp() - greatest(interval '15 s', s.took * 20)
      AND (s.changed_at >= s.measured_at OR s.measured_at < clock_timestamp() - interval '1 hour')
    ORDER BY s.measured_at LIMIT ${MEASURED_AT_ONCE}`;
  for (const { id } of due) {
    if (performance.now() > until) return;
    await measureStored(db, id);
  }
}
