-- Crons: which are due, what a firing does, and what follows from the end of its run. All times are those of Postgres.
-- Rows are locked in the order cron, account, run.

-- A firing to decide about. kind: due (the schedule has the due time `claimed`, and `at` is the due time to fire, or null
-- when all were missed) | queued (the waiting row `id`) | trigger (now).
CREATE TYPE engine.firing AS (
  id text,
  cron text,
  account text,
  kind text,
  cause text,
  -- The definition of the cron from which the run was made.
  definition integer,
  claimed timestamptz,
  at timestamptz,
  -- The due time after `at`; null when there is none.
  next timestamptz,
  -- [{"id", "at", "reason"}]: due times before `at` that do not fire.
  missed jsonb,
  -- Set when the firing is decided. Without an outcome only the next due time is stored.
  outcome text,
  reason text,
  -- The run's id.
  run text
);

-- Locks crons and decides about one firing of each. Nothing is written: `record_firings` does that, in the same
-- transaction. p_waits: wait for crons that somebody else holds; otherwise their decision is `locked`. decision: start |
-- skip | wait | miss | refuse (the account is not active) | known (that due time has a row) | locked | gone (another process
-- did it, it is not due yet, or the cron was changed or deleted). unfinished: runs that a start replaces.
CREATE FUNCTION engine.decide_firings(p_firings engine.firing[], p_waits boolean)
RETURNS TABLE (id text, decision text, unfinished text[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$ -- live work may be none when a plan is made; planning is half of a small group
#variable_conflict use_column
DECLARE
  v_now constant timestamptz := clock_timestamp();
  v_locked text[];
BEGIN
  IF p_waits THEN
    PERFORM 1 FROM gleaner.crons c WHERE c.id IN (SELECT f.cron FROM unnest(p_firings) f) ORDER BY c.id FOR UPDATE;
  ELSE
    v_locked := ARRAY(
      SELECT f.cron FROM unnest(p_firings) f LEFT JOIN LATERAL (
        SELECT c.id FROM gleaner.crons c WHERE c.id = f.cron LIMIT 1 FOR UPDATE SKIP LOCKED
      ) own ON true WHERE own.id IS NULL);
  END IF;
  -- A separate statement: it sees rows that were committed while the statement before waited for the locks.
  RETURN QUERY
    SELECT asked.id,
      CASE
        WHEN c.id IS NULL THEN 'gone'
        WHEN c.id = ANY (v_locked) THEN 'locked'
        WHEN asked.kind <> 'trigger' AND c.definition <> asked.definition THEN 'gone'
        WHEN asked.kind = 'queued' AND (live.runs IS NOT NULL OR NOT EXISTS (
          SELECT 1 FROM gleaner.cron_firings f WHERE f.id = asked.id AND f.outcome = 'queued')) THEN 'gone'
        WHEN asked.kind = 'due' AND (c.next_fire_at IS DISTINCT FROM asked.claimed OR v_now < asked.claimed) THEN 'gone'
        WHEN asked.kind = 'due' AND asked.at IS NULL THEN 'miss'
        -- LIMIT: one index entry each, never a hash of the whole table.
        WHEN asked.kind = 'due' AND (
          SELECT true FROM gleaner.cron_firings f
          WHERE f.cron_id = c.id AND f.scheduled_at = asked.at AND f.cause <> 'trigger' LIMIT 1) THEN 'known'
        WHEN NOT a.is_active THEN 'refuse'
        WHEN live.runs IS NULL OR c.overlap IN ('allow', 'replace') THEN 'start'
        WHEN c.overlap = 'queue' AND NOT EXISTS (
          SELECT 1 FROM gleaner.cron_firings f WHERE f.cron_id = c.id AND f.outcome = 'queued') THEN 'wait'
        ELSE 'skip'
      END,
      CASE WHEN c.overlap = 'replace' THEN coalesce(live.runs, '{}') ELSE '{}' END
    FROM unnest(p_firings) asked
    LEFT JOIN gleaner.crons c ON c.id = asked.cron AND c.account_id = asked.account
    LEFT JOIN gleaner.accounts a ON a.id = c.account_id
    LEFT JOIN LATERAL (
      SELECT array_agg(r.id) AS runs FROM gleaner.cron_firings f JOIN gleaner.runs r ON r.id = f.run_id
      WHERE f.cron_id = c.id AND f.is_live AND r.state IN ('pending', 'running')
    ) live ON true;
END
$$;

-- Writes firings that `decide_firings` decided in this transaction, ends the leases, sets the next due times, emits events
-- for the accounts that listen, and counts the firings that failed.
CREATE FUNCTION engine.record_firings(p_firings engine.firing[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$ -- live work may be none when a plan is made
BEGIN
  INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, outcome, reason, cause)
  SELECT m.id, f.cron, f.account, m.at, 'missed', m.reason, 'schedule'
  FROM unnest(p_firings) f
  CROSS JOIN LATERAL jsonb_to_recordset(f.missed) m (id text, at timestamptz, reason text)
  WHERE jsonb_array_length(f.missed) > 0
  ON CONFLICT DO NOTHING;
  INSERT INTO gleaner.cron_firings (
    id, cron_id, account_id, scheduled_at, fired_at, outcome, reason, run_id, cause, is_live)
  SELECT f.id, f.cron, f.account, f.at, CASE f.outcome WHEN 'queued' THEN NULL ELSE clock_timestamp() END, f.outcome,
    f.reason, f.run, f.cause, f.run IS NOT NULL
  FROM unnest(p_firings) f WHERE f.outcome IS NOT NULL AND f.kind <> 'queued';
  UPDATE gleaner.cron_firings known SET fired_at = clock_timestamp(), outcome = f.outcome, reason = f.reason,
    run_id = f.run, is_live = f.run IS NOT NULL
  FROM unnest(p_firings) f WHERE known.id = f.id AND f.outcome IS NOT NULL AND f.kind = 'queued';
  UPDATE gleaner.crons c SET leased_until = NULL,
    next_fire_at = CASE f.kind WHEN 'due' THEN f.next ELSE c.next_fire_at END,
    is_enabled = CASE f.kind WHEN 'due' THEN f.next IS NOT NULL ELSE c.is_enabled END
  FROM unnest(p_firings) f WHERE c.id = f.cron AND f.kind <> 'trigger';
  PERFORM engine.emit_firing_event('cron.fired', f.id, NULL) FROM unnest(p_firings) f
  WHERE f.outcome = 'started' AND EXISTS (
    SELECT 1 FROM gleaner.webhooks w WHERE w.account_id = f.account AND w.is_enabled AND 'cron.fired' = ANY (w.events));
  PERFORM engine.count_cron_failure(f.id, f.reason) FROM unnest(p_firings) f WHERE f.outcome = 'failed';
END
$$;

CREATE FUNCTION engine.emit_firing_event(
  p_event text, p_firing text, p_reason text, p_resolved boolean DEFAULT false
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.emit_event(
    c.account_id, p_event,
    json_build_object(
      'id', c.id, 'name', c.name, 'firing_id', f.id, 'scheduled_at', engine.iso_time(f.scheduled_at),
      'fired_at', engine.iso_time(f.fired_at), 'cause', f.cause, 'run_id', f.run_id, 'reason', p_reason,
      'enabled', c.is_enabled, 'paused_reason', c.paused_reason),
    f.run_id, p_resolved => p_resolved)
  FROM gleaner.cron_firings f JOIN gleaner.crons c ON c.id = f.cron_id WHERE f.id = p_firing;
END
$$;

-- Counts the failure of a firing, and pauses its cron when there were too many in a row.
CREATE FUNCTION engine.count_cron_failure(p_firing text, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_cron gleaner.crons;
BEGIN
  UPDATE gleaner.crons c SET failures = c.failures + 1
  WHERE c.id = (SELECT f.cron_id FROM gleaner.cron_firings f WHERE f.id = p_firing) RETURNING * INTO v_cron;
  IF v_cron.is_enabled AND v_cron.failures >= v_cron.pause_after_failures THEN
    UPDATE gleaner.crons c SET is_enabled = false, next_fire_at = NULL, is_mirrored = false, definition = c.definition + 1,
      paused_reason = v_cron.failures || ' failures in a row; the last one: ' || p_reason
    WHERE c.id = v_cron.id;
    PERFORM engine.drop_queued_firings(v_cron.id, 'the cron was paused');
  END IF;
  PERFORM engine.emit_firing_event('cron.failed', p_firing, p_reason);
END
$$;

-- Firings that wait never run: the cron was paused.
CREATE FUNCTION engine.drop_queued_firings(p_cron text, p_reason text) RETURNS void
LANGUAGE sql AS $$
  UPDATE gleaner.cron_firings f SET outcome = 'skipped', reason = p_reason, fired_at = clock_timestamp()
  WHERE f.cron_id = p_cron AND f.outcome = 'queued'
$$;

-- Ends live firings of runs that have ended, those of p_limit crons at most, and returns how many: a failed run counts as
-- a failure of its cron, a run that succeeded ends the series of failures. Runs hold no reference to crons.
CREATE FUNCTION engine.settle_firings(p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  -- A sub-select, so that each run is found by its id.
  v_ended constant text[] := ARRAY(
    SELECT f.cron_id FROM gleaner.cron_firings f
    WHERE f.is_live AND (
      SELECT r.state IN ('pending', 'running') FROM gleaner.runs r WHERE r.id = f.run_id) IS NOT TRUE
    ORDER BY f.cron_id LIMIT p_limit);
  v_crons constant text[] := ARRAY(
    SELECT c.id FROM gleaner.crons c WHERE c.id = ANY (v_ended) ORDER BY c.id FOR UPDATE SKIP LOCKED);
  v_firing record;
  v_count integer := 0;
BEGIN
  FOR v_firing IN
    UPDATE gleaner.cron_firings f SET is_live = false
    FROM (
      SELECT l.id, r.state, 'its source: ' || q.error AS reason
      FROM gleaner.cron_firings l LEFT JOIN gleaner.runs r ON r.id = l.run_id
      LEFT JOIN gleaner.run_sources q ON q.run_no = r.no OR q.root_no = r.no
      WHERE l.is_live AND l.cron_id = ANY (v_crons) AND (r.id IS NULL OR r.state NOT IN ('pending', 'running'))
    ) ended
    WHERE f.id = ended.id
    RETURNING f.id, f.cron_id, ended.state, ended.reason
  LOOP
    v_count := v_count + 1;
    -- A fault of one cron must not undo the others.
    BEGIN
      IF v_firing.state = 'failed' THEN
        PERFORM engine.count_cron_failure(v_firing.id, coalesce(v_firing.reason, 'its run failed'));
      ELSIF v_firing.state = 'succeeded' THEN
        UPDATE gleaner.crons c SET failures = 0 WHERE c.id = v_firing.cron_id AND c.failures > 0;
        IF FOUND THEN PERFORM engine.emit_firing_event('cron.failed', v_firing.id, NULL, true); END IF;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'the end of firing % was not counted: %', v_firing.id, SQLERRM;
    END;
  END LOOP;
  RETURN v_count;
END
$$;
