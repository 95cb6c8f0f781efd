import { ENGINE, type Database } from '@gleaner/db';

/** Removes what the sweeper would, some at a time. */
async function removeDropped({ sql }: Database): Promise<void> {
  for (let isMore = true; isMore;) {
    const rows = await sql<{ more: boolean }[]>`
      SELECT ${sql(ENGINE)}.remove_dropped(w.no) AS more FROM gleaner.workflow_runs w
      WHERE w.no IN (SELECT root_no FROM gleaner.dropped_tasks UNION SELECT root_no FROM gleaner.child_batches)`;
    isMore = rows.some(({ more }) => more);
  }
}

/**
 * Checks in SQL the invariants of runs, results, credits and slots that hold while no work is running.
 * @returns one line per violated rule
 */
export async function findViolations(db: Database): Promise<string[]> {
  await removeDropped(db);
  const { sql } = db;
  const faults: string[] = [];
  const note = (name: string, rows: readonly object[]): void => {
    if (rows.length > 0)
      faults.push(`${name}: ${rows.length} times, first ${JSON.stringify(rows.slice(0, 3))}`);
  };
  note(
    'work is still leased or waits',
    await sql`SELECT run_no::text, chunk, state, remaining, slots FROM gleaner.chunks`,
  );
  note(
    'a run has not ended',
    await sql`SELECT id, state FROM gleaner.runs WHERE state IN ('pending', 'running') OR finished_at IS NULL OR is_open OR held <> 0`,
  );
  note(
    'a request has not ended',
    await sql`SELECT id, state FROM gleaner.requests WHERE state IN ('waiting', 'queued', 'running')`,
  );
  note(
    'outcomes of a run do not add up to its inputs, or its counters to its outcomes',
    await sql`
      SELECT r.id, r.total, r.succeeded, r.failed, r.cancelled, o.ok, o.bad, t.inputs
      FROM gleaner.runs r
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE o.ok) AS ok, count(*) FILTER (WHERE NOT o.ok) AS bad
        FROM gleaner.results o WHERE o.run_no = r.no
      ) o
      CROSS JOIN LATERAL (SELECT count(*) AS inputs FROM gleaner.tasks t WHERE t.run_no = r.no) t
      WHERE r.created_at > now() - interval '24 hours'
        AND (r.succeeded + r.failed + r.cancelled <> r.total OR o.ok <> r.succeeded OR o.bad <> r.failed OR t.inputs <> r.total)`,
  );
  note(
    'a run was not charged what its successes cost, or more than it may charge',
    await sql`
      SELECT r.id, r.price, r.succeeded, r.used, r.max_credits, r.budget, o.credits FROM gleaner.runs r
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(o.credits), 0) AS credits, coalesce(max(o.credits), 0) AS dearest,
          coalesce(sum(o.credits) FILTER (WHERE NOT o.ok), 0) AS of_failures
        FROM gleaner.results o WHERE o.run_no = r.no
      ) o
      WHERE r.succeeded > r.budget OR r.used > coalesce(r.max_credits, r.budget::bigint * r.price)
        OR r.used > r.price::bigint * r.succeeded
        -- Results of older runs are removed.
        OR r.created_at > now() - interval '24 hours'
          AND (o.credits <> r.used OR o.dearest > r.price OR o.of_failures <> 0)`,
  );
  note(
    'the ledger does not say what a run was charged, or a run holds a reservation',
    await sql`
      SELECT r.id, r.used, r.reserved, l.settled, l.kept FROM gleaner.runs r
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(e.credits) FILTER (WHERE e.kind = 'settle'), 0) AS settled,
          coalesce(sum(CASE e.kind WHEN 'reserve' THEN e.credits ELSE -e.credits END), 0) AS kept
        FROM gleaner.ledger_entries e WHERE e.reference = r.id
      ) l
      -- The entries of older runs may be rolled up.
      WHERE r.created_at >= coalesce(
        (SELECT (max(d.day) + 1)::timestamp AT TIME ZONE 'UTC' FROM gleaner.ledger_days d WHERE d.account_id = r.account_id),
        '-infinity')
        AND (l.settled <> r.used OR l.kept <> 0 OR r.reserved <> 0)`,
  );
  note(
    'a request was charged without a success, or a success was not charged',
    await sql`
      SELECT id, state, price, charged_in FROM gleaner.requests
      WHERE kind = 'task' AND (state = 'succeeded' AND price > 0) <> (charged_in IS NOT NULL)`,
  );
  note(
    'a ledger entry of a group of requests is not the sum of its successes',
    await sql`
      SELECT g.charged_in, g.account_id, g.credits, e.entries, e.credits AS entered FROM (
        SELECT r.charged_in, r.account_id, sum(r.price) AS credits FROM gleaner.requests r
        WHERE r.charged_in IS NOT NULL GROUP BY r.charged_in, r.account_id
      ) g
      CROSS JOIN LATERAL (
        SELECT count(*) AS entries, sum(l.credits) AS credits FROM gleaner.ledger_entries l
        WHERE l.reference = g.charged_in AND l.account_id = g.account_id AND l.kind = 'settle'
      ) e
      WHERE e.entries <> 1 OR e.credits <> g.credits`,
  );
  note(
    'a ledger entry of a group has no request that it charges',
    await sql`
      SELECT l.reference, l.credits FROM gleaner.ledger_entries l
      JOIN gleaner.requests r ON r.id = l.reference
      WHERE l.kind = 'settle' AND NOT EXISTS (SELECT 1 FROM gleaner.requests c WHERE c.charged_in = l.reference)`,
  );
  note(
    'an account does not add up',
    await sql`
      SELECT a.id, a.granted, a.balance, a.reserved, a.used, a.unfinished, l.settled, l.granted AS entered, ${sql(ENGINE)}.slots_used(a.id) AS slots
      FROM gleaner.accounts a
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(e.settled), 0) AS settled, coalesce(sum(e.granted), 0) AS granted,
          coalesce(sum(e.kept), 0) AS kept
        FROM (
          SELECT CASE e.kind WHEN 'settle' THEN e.credits ELSE 0 END AS settled,
            CASE e.kind WHEN 'grant' THEN e.credits ELSE 0 END AS granted,
            CASE e.kind WHEN 'grant' THEN 0 WHEN 'reserve' THEN e.credits ELSE -e.credits END AS kept
          FROM gleaner.ledger_entries e WHERE e.account_id = a.id
          UNION ALL
          SELECT d.settled, d.granted, d.reserved - d.settled - d.released
          FROM gleaner.ledger_days d WHERE d.account_id = a.id
        ) e
      ) l
      WHERE a.reserved <> 0 OR a.unfinished <> 0 OR a.balance + a.used <> a.granted OR a.used <> l.settled OR a.granted <> l.granted
        OR l.kept <> 0
        OR ${sql(ENGINE)}.slots_used(a.id) <> 0`,
  );
  note(
    'what an account used is not the sum of its counters',
    await sql`
      SELECT a.id, a.used, h.credits FROM gleaner.accounts a CROSS JOIN LATERAL (
        SELECT (SELECT coalesce(sum(u.credits), 0) FROM gleaner.usage_hours u WHERE u.account_id = a.id)
          + (SELECT coalesce(sum(d.credits), 0) FROM gleaner.usage_deltas d WHERE d.account_id = a.id) AS credits
      ) h WHERE h.credits <> a.used`,
  );
  note(
    'children are left, or a stage holds tasks that are not part of it',
    await sql`
      SELECT b.root_no::text, 'children' AS what FROM gleaner.child_batches b
      UNION ALL SELECT p.root_no::text, 'pause' FROM gleaner.run_pauses p
      UNION ALL SELECT s.run_no::text, 'numbered' FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no
        WHERE s.numbered <> r.total`,
  );
  note(
    'a child has no parent that succeeded, or is in its stage twice',
    await sql`
      SELECT t.run_no::text, t.seq FROM gleaner.stages s JOIN gleaner.tasks t ON t.run_no = s.run_no
      WHERE t.parent_no IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM gleaner.results o WHERE o.run_no = t.parent_no AND o.seq = t.parent_seq AND o.ok)
      UNION ALL
      SELECT t.run_no::text, min(t.seq) FROM gleaner.stages s JOIN gleaner.tasks t ON t.run_no = s.run_no
      -- A crawl gives up pages that it fetched ahead when it is short of credits, and fetches them again.
      WHERE s.role IS NULL OR EXISTS (SELECT 1 FROM gleaner.results o WHERE o.run_no = t.run_no AND o.seq = t.seq)
      GROUP BY t.run_no, t.input HAVING count(*) > 1`,
  );
  note(
    'a stage ended in another state than its workflow run allows',
    await sql`
      SELECT r.id, r.state, root.state AS root FROM gleaner.runs r JOIN gleaner.runs root ON root.no = r.root_no
      WHERE root.state IN ('succeeded', 'failed') AND r.state IN ('pending', 'running')`,
  );
  return faults;
}
