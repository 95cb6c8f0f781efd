-- Crons: which are due, what a firing does, and what follows from the end of its run. All times are those of Postgres.
-- Rows are locked in the order cron, account, run.

-- Leases due crons to the caller and returns them. A lease only saves work: `decide_firings` makes sure that each due
-- time fires once. p_lease: for how long other processes skip them.
CREATE FUNCTION engine.claim_crons(p_limit integer, p_lease interval)
RETURNS TABLE (
  id text, account_id text, schedule text, timezone text, catchup_seconds integer, due timestamptz, claimed_at timestamptz
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_now constant timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
    UPDATE gleaner.crons c SET leased_until = v_now + p_lease
    WHERE c.id IN (
      SELECT d.id FROM gleaner.crons d
      WHERE d.next_fire_at <= v_now AND (d.leased_until IS NULL OR d.leased_until <= v_now)
      ORDER BY d.next_fire_at LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    RETURNING c.id, c.account_id, c.schedule, c.timezone, c.catchup_seconds, c.next_fire_at, v_now;
END
$$;

-- Milliseconds until the next cron is due that is not yet; null when there is none.
CREATE FUNCTION engine.next_cron_due() RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
  v_now constant timestamptz := clock_timestamp();
BEGIN
  RETURN (
    SELECT extract(epoch FROM min(c.next_fire_at) - v_now) * 1000 FROM gleaner.crons c WHERE c.next_fire_at > v_now);
END
$$;

-- Leases crons that have a waiting firing and no unfinished run, and returns the first of those firings.
CREATE FUNCTION engine.claim_queued_firings(p_limit integer, p_lease interval)
RETURNS TABLE (id text, cron_id text, account_id text, due timestamptz, cause text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_now constant timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
    WITH waiting AS (
      SELECT DISTINCT f.cron_id FROM gleaner.cron_firings f WHERE f.outcome = 'queued'
    ), free AS (
      SELECT c.id FROM gleaner.crons c JOIN waiting w ON w.cron_id = c.id
      WHERE (c.leased_until IS NULL OR c.leased_until <= v_now) AND NOT engine.has_unfinished_run(c.id)
      LIMIT p_limit FOR UPDATE OF c SKIP LOCKED
    ), leased AS (
      UPDATE gleaner.crons c SET leased_until = v_now + p_lease FROM free WHERE c.id = free.id RETURNING c.id
    )
    SELECT f.id, f.cron_id, f.account_id, f.scheduled_at, f.cause FROM leased l
    CROSS JOIN LATERAL (
      SELECT * FROM gleaner.cron_firings q WHERE q.cron_id = l.id AND q.outcome = 'queued' ORDER BY q.scheduled_at LIMIT 1
    ) f;
END
$$;

CREATE FUNCTION engine.has_unfinished_run(p_cron text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM gleaner.cron_firings f JOIN gleaner.runs r ON r.id = f.run_id
    WHERE f.cron_id = p_cron AND f.is_live AND r.state IN ('pending', 'running'))
$$;

-- A firing to decide about. kind: due (the schedule has the due time `claimed`, and `at` is the due time to fire, or null
-- when all were missed) | queued (the waiting row `id`) | trigger (now) | staged (`stage_firings` moved the schedule on).
CREATE TYPE engine.firing AS (
  id text,
  cron text,
  account text,
  kind text,
  cause text,
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

-- Locks crons and decides about one firing of each, as `judge_firings` says. Nothing is written: `record_firings` does
-- that, in the same transaction.
CREATE FUNCTION engine.decide_firings(p_firings engine.firing[])
RETURNS TABLE (id text, decision text, unfinished text[])
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM gleaner.crons c WHERE c.id IN (SELECT f.cron FROM unnest(p_firings) f) ORDER BY c.id FOR UPDATE;
  -- A separate statement: it sees rows that were committed while the statement before waited for the locks.
  RETURN QUERY SELECT * FROM engine.judge_firings(p_firings);
END
$$;

-- Decides about one firing of each cron; the caller holds their locks. decision: start | skip | wait | miss | refuse (the
-- account is not active) | known (that due time has a row) | gone (another process did it, or the cron was changed or
-- deleted). unfinished: runs that a start replaces.
CREATE FUNCTION engine.judge_firings(p_firings engine.firing[])
RETURNS TABLE (id text, decision text, unfinished text[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT asked.id,
      CASE
        WHEN c.id IS NULL THEN 'gone'
        WHEN asked.kind = 'queued' AND (live.runs IS NOT NULL OR NOT EXISTS (
          SELECT 1 FROM gleaner.cron_firings f WHERE f.id = asked.id AND f.outcome = 'queued')) THEN 'gone'
        WHEN asked.kind = 'due' AND c.next_fire_at IS DISTINCT FROM asked.claimed THEN 'gone'
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

-- Ends the lease of crons and sets their next due time.
CREATE FUNCTION engine.move_schedules(p_firings engine.firing[]) RETURNS void
LANGUAGE sql AS $$
  UPDATE gleaner.crons c SET leased_until = NULL, next_fire_at = f.next, is_enabled = f.next IS NOT NULL
  FROM unnest(p_firings) f WHERE c.id = f.cron AND f.kind = 'due'
$$;

-- Writes firings that `decide_firings` decided in this transaction, ends the lease and sets the next due time.
CREATE FUNCTION engine.record_firings(p_firings engine.firing[]) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO gleaner.cron_firings (id, cron_id, account_id, scheduled_at, outcome, reason, cause)
  SELECT m.id, f.cron, f.account, m.at, 'missed', m.reason, 'schedule'
  FROM unnest(p_firings) f
  CROSS JOIN LATERAL jsonb_to_recordset(f.missed) m (id text, at timestamptz, reason text)
  WHERE jsonb_array_length(f.missed) > 0
  ON CONFLICT DO NOTHING;
  PERFORM engine.insert_firings(ARRAY(SELECT f FROM unnest(p_firings) f WHERE f.outcome IS NOT NULL AND f.kind <> 'queued'));
  UPDATE gleaner.cron_firings known SET fired_at = clock_timestamp(), outcome = f.outcome, reason = f.reason,
    run_id = f.run, is_live = f.run IS NOT NULL
  FROM unnest(p_firings) f WHERE known.id = f.id AND f.outcome IS NOT NULL AND f.kind = 'queued';
  PERFORM engine.move_schedules(p_firings);
  UPDATE gleaner.crons c SET leased_until = NULL
  FROM unnest(p_firings) f WHERE c.id = f.cron AND f.kind = 'queued';
  PERFORM engine.announce_firings(p_firings);
END
$$;

CREATE FUNCTION engine.insert_firings(p_firings engine.firing[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.cron_firings (
    id, cron_id, account_id, scheduled_at, fired_at, outcome, reason, run_id, cause, is_live)
  SELECT f.id, f.cron, f.account, f.at, CASE f.outcome WHEN 'queued' THEN NULL ELSE clock_timestamp() END, f.outcome,
    f.reason, f.run, f.cause, f.run IS NOT NULL
  FROM unnest(p_firings) f
$$;

-- The accounts of firings that get an event for each.
CREATE FUNCTION engine.listening_accounts(p_firings engine.firing[]) RETURNS text[]
LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    SELECT a.id FROM (SELECT DISTINCT f.account FROM unnest(p_firings) f) a (id)
    WHERE EXISTS (
      SELECT 1 FROM gleaner.webhooks w
      WHERE w.account_id = a.id AND w.is_enabled AND 'cron.fired' = ANY (w.events)));
END
$$;

-- Emits events of firings, and counts those that failed.
CREATE FUNCTION engine.announce_firings(p_firings engine.firing[]) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_firing record;
  v_listening constant text[] := engine.listening_accounts(p_firings);
BEGIN
  FOR v_firing IN
    SELECT f.id, f.outcome, f.reason FROM unnest(p_firings) f
    WHERE f.outcome = 'failed' OR (f.outcome = 'started' AND f.account = ANY (v_listening))
  LOOP
    IF v_firing.outcome = 'started' THEN PERFORM engine.emit_firing_event('cron.fired', v_firing.id, NULL);
    ELSE PERFORM engine.count_cron_failure(v_firing.id, v_firing.reason);
    END IF;
  END LOOP;
END
$$;

-- Locks crons of prepared firings that are unchanged since, and returns those firings. It waits for no lock: a cron that
-- somebody else holds is left. p_definitions: each cron's definition when its run was prepared. p_parsers, p_parsers_read:
-- each run's parser and its `updated_at` then; empty for a prebuilt API.
CREATE FUNCTION engine.lock_unchanged(
  p_firings engine.firing[], p_definitions integer[], p_parsers text[], p_parsers_read text[]
) RETURNS engine.firing[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  -- Elements of arrays are never read by their place: that reads all elements before it.
  RETURN ARRAY(
    SELECT ROW(f.id, f.cron, f.account, f.kind, f.cause, f.claimed, f.at, f.next, f.missed, f.outcome, f.reason,
      f.run)::engine.firing
    FROM (
      SELECT * FROM ROWS FROM (unnest(p_firings), unnest(p_definitions), unnest(p_parsers), unnest(p_parsers_read))
        u (id, cron, account, kind, cause, claimed, at, next, missed, outcome, reason, run, definition, parser, parser_read)
      ORDER BY u.cron
    ) f CROSS JOIN LATERAL (
      -- By its key: the index of due times holds all crons that are due together.
      SELECT 1 FROM gleaner.crons c WHERE c.id = f.cron AND c.next_fire_at = f.claimed AND c.definition = f.definition
      LIMIT 1 FOR UPDATE SKIP LOCKED
    ) c
    LEFT JOIN gleaner.parsers p ON p.id = f.parser AND p.account_id = f.account AND p.deleted_at IS NULL
    WHERE f.parser = '' OR p.updated_at = f.parser_read::timestamptz);
END
$$;

-- Fires crons of several accounts that were prepared before their due time, with their runs, in one statement. Fires
-- those that are due, on time and unchanged, and leaves the others: `claim_crons` finds them. It waits for no lock: a
-- cron or an account that somebody else holds is left. p_firings: each names its run. p_runs: those runs. The others are
-- those of `lock_unchanged`. Returns the accounts of which it fired something.
CREATE FUNCTION engine.fire_crons(
  p_firings engine.firing[], p_runs engine.new_run[], p_definitions integer[], p_parsers text[], p_parsers_read text[]
) RETURNS TABLE (account_id text, has_run boolean)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_now constant timestamptz := clock_timestamp();
  v_accounts text[];
  v_firings engine.firing[];
  v_starting text[];
  v_created text[];
BEGIN
  -- A crash of Postgres undoes the last firings with their runs and due times, so they fire again.
  PERFORM set_config('synchronous_commit', 'off', true);
  v_firings := ARRAY(
    SELECT f FROM unnest(engine.lock_unchanged(p_firings, p_definitions, p_parsers, p_parsers_read)) f
    WHERE f.at <= v_now AND v_now < f.at + interval '30 s' AND (f.next IS NULL OR v_now < f.next));
  IF cardinality(v_firings) = 0 THEN RETURN; END IF;
  v_accounts := engine.lock_accounts(ARRAY(SELECT DISTINCT f.account FROM unnest(v_firings) f), NULL);
  v_firings := ARRAY(
    WITH decided AS MATERIALIZED (
      -- The planner expects few rows of the filters below, and would compare each firing with each decision.
      SELECT f, d.decision, d.unfinished FROM unnest(v_firings) f JOIN engine.judge_firings(v_firings) d ON d.id = f.id
    )
    SELECT ROW((f).id, (f).cron, (f).account, (f).kind, (f).cause, (f).claimed, (f).at, (f).next, (f).missed,
      CASE decision WHEN 'start' THEN 'started' WHEN 'skip' THEN 'skipped' ELSE 'queued' END,
      CASE WHEN decision <> 'start' THEN 'overlap' END,
      CASE WHEN decision = 'start' THEN (f).run END)::engine.firing
    FROM decided
    WHERE (f).account = ANY (v_accounts) AND decision IN ('start', 'skip', 'wait') AND cardinality(unfinished) = 0);
  v_starting := ARRAY(SELECT f.run FROM unnest(v_firings) f WHERE f.run IS NOT NULL);
  IF cardinality(v_starting) < cardinality(p_runs) THEN
    p_runs := ARRAY(SELECT r FROM unnest(p_runs) r WHERE r.id = ANY (v_starting));
  END IF;
  v_created := ARRAY(SELECT c.account_id FROM engine.create_runs(p_runs) c WHERE c.outcome = 'created');
  v_firings := ARRAY(SELECT f FROM unnest(v_firings) f WHERE f.run IS NULL OR f.account = ANY (v_created));
  PERFORM engine.record_firings(v_firings);
  PERFORM engine.wake_accounts(v_created);
  RETURN QUERY SELECT f.account, f.account = ANY (v_created) FROM unnest(v_firings) f GROUP BY f.account;
END
$$;

-- Does the greater part of firing many crons before they are due, in a transaction that stays open until then: writes
-- their runs and moves their schedules. Nobody sees it before `start_staged` and the commit; a rollback leaves everything
-- due. Takes only crons that would start a run, whatever happens until then: while their rows are locked, nobody else
-- starts one. Leaves accounts that get events: those would be written while all accounts are locked. The parameters are those
-- of `fire_crons`. Returns the crons that it took.
CREATE FUNCTION engine.stage_firings(
  p_firings engine.firing[], p_runs engine.new_run[], p_definitions integer[], p_parsers text[], p_parsers_read text[]
) RETURNS TABLE (cron text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_listening constant text[] := engine.listening_accounts(p_firings);
  v_firings engine.firing[];
  v_runs text[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  v_firings := engine.lock_unchanged(p_firings, p_definitions, p_parsers, p_parsers_read);
  v_firings := ARRAY(
    SELECT f FROM unnest(v_firings) f JOIN engine.judge_firings(v_firings) d ON d.id = f.id
    WHERE d.decision = 'start' AND cardinality(d.unfinished) = 0 AND f.account <> ALL (v_listening));
  IF cardinality(v_firings) = 0 THEN RETURN; END IF;
  IF cardinality(v_firings) < cardinality(p_runs) THEN
    v_runs := ARRAY(SELECT f.run FROM unnest(v_firings) f);
    p_runs := ARRAY(SELECT r FROM unnest(p_runs) r WHERE r.id = ANY (v_runs));
  END IF;
  PERFORM engine.insert_runs(p_runs, engine.microseconds_now(), v_firings[1].at);
  PERFORM engine.move_schedules(v_firings);
  RETURN QUERY SELECT f.cron FROM unnest(v_firings) f;
END
$$;

-- Waits until crons are due that `stage_firings` took in this transaction, and fires them. p_firings: theirs, as kind
-- staged. p_reservations: what their runs need. p_parsers, p_parsers_read: the parsers of the runs, once each, and their
-- `updated_at` when the runs were prepared. All firings of an account are taken back, and due, when the account is locked
-- or refused, or one of its parsers changed. Returns the accounts whose crons fired.
CREATE FUNCTION engine.start_staged(
  p_firings engine.firing[], p_reservations engine.reservation[], p_parsers text[], p_parsers_read text[]
) RETURNS TABLE (account_id text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_seconds constant double precision :=
    extract(epoch FROM (SELECT max(f.at) FROM unnest(p_firings) f) - clock_timestamp());
  v_accounts text[];
  v_created text[];
BEGIN
  IF v_seconds > 10 THEN RAISE EXCEPTION 'staged crons are due only in % s', v_seconds; END IF;
  -- Here and not in the scheduler: it is exact, and a connection that is lost meanwhile is noticed.
  PERFORM pg_sleep(v_seconds);
  -- The accounts are locked last, so for a short time.
  PERFORM engine.insert_firings(p_firings);
  v_accounts := engine.lock_accounts(ARRAY(
    SELECT r.account FROM unnest(p_reservations) r
    EXCEPT SELECT p.account_id FROM gleaner.parsers p JOIN unnest(p_parsers, p_parsers_read) read (id, at) ON read.id = p.id
    WHERE p.deleted_at IS NOT NULL OR p.updated_at <> read.at::timestamptz), NULL);
  v_created := ARRAY(
    SELECT r.account_id FROM engine.reserve_runs(ARRAY(
        SELECT r FROM unnest(p_reservations) r WHERE r.account = ANY (v_accounts) AND (
          SELECT a.is_active FROM gleaner.accounts a WHERE a.latest_of = r.account ORDER BY a.generation DESC LIMIT 1)
      )) r
    WHERE r.outcome = 'created');
  IF cardinality(v_created) < cardinality(p_reservations) THEN
    PERFORM engine.take_back_staged(ARRAY(SELECT f FROM unnest(p_firings) f WHERE f.account <> ALL (v_created)));
    p_firings := ARRAY(SELECT f FROM unnest(p_firings) f WHERE f.account = ANY (v_created));
  END IF;
  PERFORM engine.announce_firings(p_firings);
  PERFORM engine.wake_accounts(v_created);
  RETURN QUERY SELECT unnest(v_created);
END
$$;

-- Undoes firings of this transaction: their crons are due.
CREATE FUNCTION engine.take_back_staged(p_firings engine.firing[]) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_runs constant text[] := ARRAY(SELECT f.run FROM unnest(p_firings) f);
BEGIN
  DELETE FROM gleaner.tasks t WHERE t.run_no = ANY (ARRAY(SELECT r.no FROM gleaner.runs r WHERE r.id = ANY (v_runs)));
  DELETE FROM gleaner.ledger_entries e WHERE e.reference = ANY (v_runs);
  DELETE FROM gleaner.runs r WHERE r.id = ANY (v_runs);
  DELETE FROM gleaner.cron_firings d USING unnest(p_firings) f WHERE d.id = f.id;
  UPDATE gleaner.crons c SET next_fire_at = f.at, is_enabled = true FROM unnest(p_firings) f WHERE c.id = f.cron;
END
$$;

CREATE FUNCTION engine.emit_firing_event(p_event text, p_firing text, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.emit_event(
    c.account_id, p_event,
    json_build_object(
      'id', c.id, 'name', c.name, 'firing_id', f.id, 'scheduled_at', engine.iso_time(f.scheduled_at),
      'fired_at', engine.iso_time(f.fired_at), 'cause', f.cause, 'run_id', f.run_id, 'reason', p_reason,
      'enabled', c.is_enabled, 'paused_reason', c.paused_reason),
    f.run_id)
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

-- Looks at the runs of live firings, the next p_limit after a firing of a cron in the order of crons: a failed run counts
-- as a failure of its cron, a run that succeeded ends the series of failures. Returns the last firing that it looked at,
-- and no row when none is left. Runs hold no reference to crons.
CREATE FUNCTION engine.settle_firings(p_cron text, p_firing text, p_limit integer) RETURNS TABLE (cron text, firing text)
LANGUAGE plpgsql AS $$
DECLARE
  v_crons text[];
  v_firing record;
  v_count integer;
BEGIN
  WITH looked AS MATERIALIZED (
    -- A sub-select, so that each run is found by its id.
    SELECT l.cron_id, l.id, (
      SELECT r.state IN ('pending', 'running') FROM gleaner.runs r WHERE r.id = l.run_id
    ) IS NOT TRUE AS has_ended
    FROM (
      SELECT f.cron_id, f.id, f.run_id FROM gleaner.cron_firings f
      WHERE f.is_live AND (f.cron_id, f.id) > (p_cron, p_firing) ORDER BY f.cron_id, f.id LIMIT p_limit
    ) l
  )
  SELECT array_agg(l.cron_id) FILTER (WHERE l.has_ended), count(*), max(l.cron_id),
    (array_agg(l.id ORDER BY l.cron_id DESC, l.id DESC))[1]
  INTO v_crons, v_count, cron, firing FROM looked l;
  v_crons := ARRAY(
    SELECT c.id FROM gleaner.crons c WHERE c.id = ANY (v_crons) ORDER BY c.id FOR UPDATE SKIP LOCKED);
  FOR v_firing IN
    UPDATE gleaner.cron_firings f SET is_live = false
    FROM (
      SELECT l.id, r.state FROM gleaner.cron_firings l LEFT JOIN gleaner.runs r ON r.id = l.run_id
      WHERE l.is_live AND l.cron_id = ANY (v_crons) AND (r.id IS NULL OR r.state NOT IN ('pending', 'running'))
    ) ended
    WHERE f.id = ended.id
    RETURNING f.id, f.cron_id, ended.state
  LOOP
    -- A fault of one cron must not undo the others.
    BEGIN
      IF v_firing.state = 'failed' THEN
        PERFORM engine.count_cron_failure(v_firing.id, 'its run failed');
      ELSIF v_firing.state = 'succeeded' THEN
        UPDATE gleaner.crons c SET failures = 0 WHERE c.id = v_firing.cron_id AND c.failures > 0;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'the end of firing % was not counted: %', v_firing.id, SQLERRM;
    END;
  END LOOP;
  IF v_count = p_limit THEN RETURN NEXT; END IF;
END
$$;

-- Queues firings of a cron for due times in the past. p_firings: [{"id", "at"}]. Skips due times with a firing that
-- started or waits, and due times that the schedule will still fire. Returns how many firings wait now because of it.
CREATE FUNCTION engine.queue_backfill(p_account text, p_cron text, p_firings jsonb) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_next timestamptz;
  v_count integer;
BEGIN
  SELECT c.next_fire_at INTO v_next FROM gleaner.crons c WHERE c.id = p_cron AND c.account_id = p_account FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  INSERT INTO gleaner.cron_firings AS known (id, cron_id, account_id, scheduled_at, outcome, cause)
  SELECT f.id, p_cron, p_account, f.at, 'queued', 'backfill'
  FROM jsonb_to_recordset(p_firings) f (id text, at timestamptz) WHERE v_next IS NULL OR f.at < v_next
  ON CONFLICT (cron_id, scheduled_at) WHERE cause <> 'trigger' DO UPDATE
    SET outcome = 'queued', cause = 'backfill', reason = NULL, fired_at = NULL
    WHERE known.outcome IN ('missed', 'skipped', 'failed');
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;
