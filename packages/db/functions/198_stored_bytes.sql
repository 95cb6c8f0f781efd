-- What accounts store. Who writes for a run appends a row of stored_deltas, and waits for no lock; the leading scheduler
-- adds them up. All other kinds are measured for the accounts that changed.

-- Adds up at most p_limit of what was appended. Returns how many. A run that never came to be is forgotten after an hour.
CREATE FUNCTION engine.fold_stored(p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  WITH chosen AS MATERIALIZED (
    SELECT d.id, coalesce(d.account_id, r.account_id) AS account_id
    FROM gleaner.stored_deltas d LEFT JOIN gleaner.runs r ON r.no = d.run_no AND d.account_id IS NULL
    WHERE d.account_id IS NOT NULL OR r.no IS NOT NULL OR d.created_at < now() - interval '1 hour'
    ORDER BY d.id LIMIT p_limit FOR UPDATE OF d SKIP LOCKED
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
  )
  SELECT count(*) INTO v_count FROM gone;
  RETURN v_count;
END
$$;

-- Accounts whose sum is due, the oldest first: those that changed, 15 s after their last measurement, or 20 times as long as
-- it took; and each within an hour, as retention removes rows.
CREATE FUNCTION engine.due_sums(p_limit integer) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT s.account_id FROM gleaner.stored_bytes s
  WHERE s.measured_at < clock_timestamp() - greatest(interval '15 s', s.took * 20)
    AND (s.changed_at >= s.measured_at OR s.measured_at < clock_timestamp() - interval '1 hour')
  ORDER BY s.measured_at LIMIT p_limit
$$;

-- Measures what an account stores. The sizes of long values are those on the disk, and are known without reading them.
CREATE FUNCTION engine.measure_stored(p_account text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_begun constant timestamptz := clock_timestamp();
  v_free bigint;
  v_kept bigint;
  v_bytes bigint;
BEGIN
  SELECT sum(f.bytes) INTO v_free FROM (
    SELECT coalesce(sum(200 + coalesce(pg_column_size(p.scrape_config), 0) + v.bytes + s.bytes), 0) AS bytes
    FROM gleaner.parsers p
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(100 + pg_column_size(n.schema) + coalesce(pg_column_size(n.source), 0)), 0) AS bytes
      FROM gleaner.parser_versions n WHERE n.parser_id = p.id
    ) v CROSS JOIN LATERAL (
      SELECT coalesce(sum(200 + pg_column_size(n.html) + coalesce(pg_column_size(n.expected), 0)), 0) AS bytes
      FROM gleaner.parser_samples n WHERE n.parser_id = p.id
    ) s WHERE p.account_id = p_account
    UNION ALL
    SELECT sum(200 + pg_column_size(w.definition)) FROM gleaner.workflows w WHERE w.account_id = p_account
    UNION ALL
    SELECT sum(500 + coalesce(pg_column_size(c.inputs), 0) + pg_column_size(c.scrape_config)) FROM gleaner.crons c
    WHERE c.account_id = p_account
    UNION ALL
    SELECT sum(150 + coalesce(pg_column_size(i.answer), 0)) FROM gleaner.idempotency_keys i WHERE i.account_id = p_account
  ) f;
  SELECT coalesce(sum(u.bytes), 0) INTO v_kept FROM gleaner.blob_usage u WHERE u.account_id = p_account;
  SELECT v_free + v_kept + coalesce(sum(o.bytes), 0) INTO v_bytes FROM (
    SELECT sum(b.bytes) AS bytes FROM gleaner.run_bytes b WHERE b.account_id = p_account
    UNION ALL
    SELECT count(*) * 500 FROM gleaner.kept_pages k WHERE k.account_id = p_account
    UNION ALL
    SELECT sum(100 + pg_column_size(h.stats)) FROM gleaner.parsers p JOIN gleaner.parser_health h ON h.parser_id = p.id
    WHERE p.account_id = p_account
    UNION ALL
    SELECT sum(300 + pg_column_size(q.answer) + pg_column_size(q.url)) FROM gleaner.quarantined_rows q
    WHERE q.account_id = p_account
    UNION ALL
    SELECT sum(400 + pg_column_size(d.payload) + coalesce(pg_column_size(d.response_body), 0)) FROM gleaner.outbox d
    WHERE d.account_id = p_account
    UNION ALL
    SELECT count(*) * 80 FROM gleaner.crons c JOIN gleaner.source_marks m ON m.cron_no = c.no WHERE c.account_id = p_account
    UNION ALL
    SELECT sum(pg_total_relation_size(t.oid)) FROM gleaner.databases d JOIN pg_namespace n ON n.nspname = d.id
    JOIN pg_class t ON t.relnamespace = n.oid AND t.relkind IN ('r', 'm')
    WHERE d.account_id = p_account AND d.kind = 'managed'
  ) o;
  INSERT INTO gleaner.stored_bytes AS s (account_id, bytes, free_bytes, kept_bytes, measured_at, took)
  SELECT a.id, v_bytes, v_free, v_kept, v_begun, clock_timestamp() - v_begun FROM gleaner.accounts a WHERE a.id = p_account
  ON CONFLICT (account_id) DO UPDATE SET bytes = excluded.bytes, free_bytes = excluded.free_bytes,
    kept_bytes = excluded.kept_bytes, measured_at = excluded.measured_at, took = excluded.took;
END
$$;

-- Forgets what belongs to rows of a window that are gone: of runs that need it no longer.
CREATE FUNCTION engine.forget_window(p_start timestamptz, p_age interval) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_from constant bigint := engine.number_at(p_start);
  v_to constant bigint := engine.number_at(p_start + interval '6 hours');
  v_needed constant bigint[] := ARRAY(SELECT engine.runs_in_need(p_start, p_age));
BEGIN
  DELETE FROM gleaner.carried_values c WHERE c.run_no >= v_from AND c.run_no < v_to AND c.run_no <> ALL (v_needed);
  DELETE FROM gleaner.run_bytes b WHERE b.run_no >= v_from AND b.run_no < v_to AND b.run_no <> ALL (v_needed);
END
$$;
