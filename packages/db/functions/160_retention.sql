-- Retention: each call removes at most p_limit of the oldest rows that ended before p_before and returns how many.
-- Several processes may call them at once. Rows that somebody has locked wait for the next call.

-- Stages leave with their workflow run.
CREATE FUNCTION engine.remove_runs(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_roots bigint[];
BEGIN
  WITH gone AS (
    DELETE FROM gleaner.runs WHERE id = ANY (ARRAY(
      SELECT r.id FROM gleaner.runs r
      WHERE r.finished_at < p_before AND r.state NOT IN ('pending', 'running') AND r.root_no IS NULL
      ORDER BY r.finished_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING no, kind
  ), sources AS (
    DELETE FROM gleaner.run_sources q USING gone g WHERE q.run_no = g.no
  ), judgements AS (
    DELETE FROM gleaner.run_judgements j USING gone g WHERE j.run_no = g.no
  )
  SELECT count(*), array_agg(g.no) FILTER (WHERE g.kind IN ('workflow', 'stage')) INTO v_count, v_roots FROM gone g;
  IF v_roots IS NOT NULL THEN PERFORM engine.remove_stages(v_roots); END IF;
  RETURN v_count;
END
$$;

-- Identifiers of firings begin with the time of their creation.
CREATE FUNCTION engine.remove_firings(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_id constant text := engine.create_id('fir', p_before);
  v_count integer;
BEGIN
  DELETE FROM gleaner.cron_firings WHERE id = ANY (ARRAY(
    SELECT f.id FROM gleaner.cron_firings f
    WHERE f.id < v_id AND f.outcome <> 'queued' AND NOT f.is_live
    ORDER BY f.id LIMIT p_limit FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;

CREATE FUNCTION engine.remove_deliveries(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  DELETE FROM gleaner.outbox WHERE id = ANY (ARRAY(
    SELECT o.id FROM gleaner.outbox o
    WHERE o.state <> 'pending' AND o.created_at < p_before
    ORDER BY o.created_at LIMIT p_limit FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM gleaner.webhook_events WHERE no = ANY (ARRAY(
    SELECT e.no FROM gleaner.webhook_events e
    WHERE e.created_at < p_before AND NOT EXISTS (SELECT 1 FROM gleaner.outbox o WHERE o.event_no = e.no)
    ORDER BY e.created_at LIMIT p_limit));
  DELETE FROM gleaner.alert_mails WHERE (account_id, subject, day) IN (
    SELECT m.account_id, m.subject, m.day FROM gleaner.alert_mails m WHERE m.day < p_before::date LIMIT p_limit);
  RETURN v_count;
END
$$;

-- Requests that ended together leave together, so more than p_limit may: the audit compares the sum of a group with the
-- entry that charges it.
CREATE FUNCTION engine.remove_requests(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  DELETE FROM gleaner.requests WHERE id = ANY (ARRAY(
    SELECT r.id FROM gleaner.requests r WHERE r.finished_at < p_before
    ORDER BY r.finished_at FETCH FIRST p_limit ROWS WITH TIES));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;

-- Replaces ledger entries by sums of their account and day, in one statement: a query that adds up entries and days
-- counts each credit once. One process at a time, so that no two wait for the same days.
CREATE FUNCTION engine.roll_up_ledger(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(engine.duty_lock('retention')) THEN RETURN 0; END IF;
  WITH oldest AS MATERIALIZED (
    SELECT e.id FROM (SELECT i.id, i.created_at FROM gleaner.ledger_entries i ORDER BY i.id LIMIT p_limit) e
    WHERE e.created_at < p_before
  ), gone AS (
    DELETE FROM gleaner.ledger_entries e WHERE e.id = ANY (ARRAY(SELECT o.id FROM oldest o))
    RETURNING e.account_id, (e.created_at AT TIME ZONE 'UTC')::date AS day, e.kind, e.credits
  ), added AS (
    INSERT INTO gleaner.ledger_days AS known (account_id, day, granted, reserved, settled, released, entries)
    SELECT g.account_id, g.day,
      coalesce(sum(g.credits) FILTER (WHERE g.kind = 'grant'), 0),
      coalesce(sum(g.credits) FILTER (WHERE g.kind = 'reserve'), 0),
      coalesce(sum(g.credits) FILTER (WHERE g.kind = 'settle'), 0),
      coalesce(sum(g.credits) FILTER (WHERE g.kind = 'release'), 0),
      count(*)
    FROM gone g GROUP BY g.account_id, g.day
    ON CONFLICT (account_id, day) DO UPDATE SET
      granted = known.granted + excluded.granted, reserved = known.reserved + excluded.reserved,
      settled = known.settled + excluded.settled, released = known.released + excluded.released,
      entries = known.entries + excluded.entries
  )
  SELECT count(*) INTO v_count FROM gone;
  RETURN v_count;
END
$$;

-- Replaces hours of usage by sums of their day, as roll_up_ledger does with entries, and forgets the hosts of past days.
CREATE FUNCTION engine.roll_up_usage(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(engine.duty_lock('retention')) THEN RETURN 0; END IF;
  DELETE FROM gleaner.usage_hosts k WHERE k.day < (now() AT TIME ZONE 'UTC')::date - 1;
  WITH gone AS (
    DELETE FROM gleaner.usage_hours h WHERE h.ctid = ANY (ARRAY(
      SELECT o.ctid FROM gleaner.usage_hours o
      WHERE o.hour < p_before AND (o.hour AT TIME ZONE 'UTC')::time <> '00:00' ORDER BY o.hour LIMIT p_limit))
    RETURNING h.*
  ), added AS (
    INSERT INTO gleaner.usage_hours AS known (
      account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits, rows_new, rows_changed, rows_removed)
    SELECT g.account_id, date_trunc('day', g.hour, 'UTC') AS day, g.key_id, g.parser_id, g.cron_id, g.host, sum(g.succeeded),
      sum(g.failed), sum(g.credits), sum(g.rows_new), sum(g.rows_changed), sum(g.rows_removed)
    FROM gone g GROUP BY g.account_id, day, g.key_id, g.parser_id, g.cron_id, g.host
    ON CONFLICT (account_id, hour, key_id, parser_id, cron_id, host) DO UPDATE SET
      succeeded = known.succeeded + excluded.succeeded, failed = known.failed + excluded.failed,
      credits = known.credits + excluded.credits, rows_new = known.rows_new + excluded.rows_new,
      rows_changed = known.rows_changed + excluded.rows_changed, rows_removed = known.rows_removed + excluded.rows_removed
  )
  SELECT count(*) INTO v_count FROM gone;
  RETURN v_count;
END
$$;

-- Indexes of these tables that are mostly empty pages after rows were removed: larger than a megabyte and than four
-- times the space that the table's present rows need. Vacuum shrinks tables, but never indexes.
CREATE FUNCTION engine.hollow_indexes() RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT format('%I.%I', n.nspname, i.relname)
  FROM pg_index x
  JOIN pg_class i ON i.oid = x.indexrelid
  JOIN pg_class t ON t.oid = x.indrelid
  JOIN pg_namespace n ON n.oid = t.relnamespace
  WHERE n.nspname = 'gleaner' AND t.relname IN ('runs', 'ledger_entries', 'outbox', 'requests') AND x.indisvalid
    AND pg_relation_size(i.oid) > 8192 * 16
    -- 100 bytes are more than any entry of these indexes takes.
    AND pg_relation_size(i.oid) > 4 * 100 * greatest(t.reltuples, 0)
$$;
