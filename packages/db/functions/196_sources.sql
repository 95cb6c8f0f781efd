-- Sources: a sitemap or a feed that gives a run its inputs. It is a stage (role `source`) in front of the run that takes
-- its entries, a batch or the first stage of a workflow run. One file is one task; the stage takes its own results, as an
-- index names further files. Entries are numbered as tasks while files are read, and become part of the run together,
-- when all files were read: so a source of which a part can't be read gives nothing.
-- A batch waits under a root of its own (kind `stage`, so that no list shows it) and leaves it when it begins.
-- Order of locks: workflow_runs, account, run. Who holds the row of workflow_runs owns the source.

-- Why a source that was read to its end does not count; null when it does.
CREATE FUNCTION engine.judge_source(p_source gleaner.run_sources) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN f.input IS NOT NULL THEN format('%s can''t be read: %s', split_part(f.input, ' ', 2), f.reason)
    WHEN s.over_limit > 0 THEN format('it has more than %s files', s.max_tasks)
    WHEN n.over_limit > 0 THEN format('it has more than %s new addresses', n.numbered)
  END
  FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no
  JOIN gleaner.stages n ON n.run_no = p_source.run_no
  LEFT JOIN LATERAL (
    SELECT t.input, coalesce(o.error ->> 'detail', o.error ->> 'code') AS reason
    FROM gleaner.results o JOIN gleaner.tasks t ON t.run_no = o.run_no AND t.seq = o.seq
    WHERE o.run_no = p_source.source_no AND NOT o.ok ORDER BY o.seq LIMIT 1
  ) f ON true
  WHERE s.run_no = p_source.source_no
$$;

-- Notes the entries that a run of a cron takes. They count from the commit on.
CREATE FUNCTION engine.mark_entries(p_source gleaner.run_sources) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.source_marks AS m (cron_no, hash, run_no, modified)
  SELECT DISTINCT ON (engine.url_hash(t.input)) p_source.cron_no, engine.url_hash(t.input), t.run_no, (t.carried::json #>> '{}')::timestamptz
  FROM gleaner.tasks t
  WHERE t.run_no = p_source.run_no AND EXISTS (SELECT 1 FROM gleaner.crons c WHERE c.no = p_source.cron_no)
  ON CONFLICT (cron_no, hash) DO UPDATE SET run_no = excluded.run_no, modified = excluded.modified
$$;

-- Entries that a run of a cron took and that were cancelled before they had an outcome are new again. Call it when the run has ended.
-- There may be a million, and the caller holds the account: so they are only noted, for engine.forget_entries.
CREATE FUNCTION engine.forget_unfetched(p_run_no bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.unforgotten_runs AS u (run_no, cron_no)
  SELECT q.run_no, q.cron_no FROM gleaner.run_sources q
  WHERE q.run_no = p_run_no AND q.state = 'read' AND q.cron_no IS NOT NULL
  ON CONFLICT (run_no) DO UPDATE SET seq = 0
$$;

-- Makes entries of a part of a noted run new again: of some run of this cron, or of any cron. Returns whether more is noted. What reads
-- the marks of a cron calls it before, until it returns false.
CREATE FUNCTION engine.forget_entries(p_cron_no bigint DEFAULT NULL, p_count integer DEFAULT 5000) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_noted gleaner.unforgotten_runs;
BEGIN
  SELECT u.* INTO v_noted FROM gleaner.unforgotten_runs u WHERE u.cron_no = coalesce(p_cron_no, u.cron_no)
  ORDER BY u.run_no LIMIT 1 FOR NO KEY UPDATE;
  IF v_noted.run_no < 0 THEN
    DELETE FROM gleaner.source_marks m WHERE m.cron_no = v_noted.cron_no AND m.hash = ANY (ARRAY(
      SELECT n.hash FROM gleaner.source_marks n WHERE n.cron_no = v_noted.cron_no ORDER BY n.hash LIMIT p_count));
    IF NOT EXISTS (SELECT 1 FROM gleaner.source_marks m WHERE m.cron_no = v_noted.cron_no) THEN
      DELETE FROM gleaner.unforgotten_runs u WHERE u.run_no = v_noted.run_no;
    END IF;
  ELSIF FOUND THEN
    DELETE FROM gleaner.source_marks m
    WHERE m.cron_no = v_noted.cron_no AND m.run_no = v_noted.run_no AND m.hash = ANY (ARRAY(
      SELECT engine.url_hash(t.input) FROM gleaner.tasks t LEFT JOIN LATERAL (
        SELECT true AS is_known FROM gleaner.results n WHERE n.run_no = v_noted.run_no AND n.seq = t.seq LIMIT 1
      ) o ON true
      WHERE t.run_no = v_noted.run_no AND t.seq >= v_noted.seq AND t.seq < v_noted.seq + p_count AND o.is_known IS NULL));
    IF EXISTS (SELECT 1 FROM gleaner.tasks t WHERE t.run_no = v_noted.run_no AND t.seq >= v_noted.seq + p_count) THEN
      UPDATE gleaner.unforgotten_runs u SET seq = v_noted.seq + p_count WHERE u.run_no = v_noted.run_no;
    ELSE
      DELETE FROM gleaner.unforgotten_runs u WHERE u.run_no = v_noted.run_no;
    END IF;
  END IF;
  RETURN EXISTS (SELECT 1 FROM gleaner.unforgotten_runs u WHERE u.cron_no = coalesce(p_cron_no, u.cron_no));
END
$$;

-- Begins the run with all entries, as engine.submit_runs does: reserves the whole price, or returns why it can't. The caller holds the
-- locks of the root and the account.
CREATE FUNCTION engine.begin_run(p_source gleaner.run_sources) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_run gleaner.runs;
  v_account gleaner.accounts;
  v_total integer;
  v_max_credits bigint;
  v_required bigint;
BEGIN
  SELECT * INTO STRICT v_run FROM gleaner.runs r WHERE r.no = p_source.run_no FOR NO KEY UPDATE;
  SELECT * INTO STRICT v_account FROM engine.account_of(v_run.account_id);
  SELECT s.numbered INTO STRICT v_total FROM gleaner.stages s WHERE s.run_no = v_run.no;
  v_required := v_run.price::bigint * v_total;
  IF p_source.max_credits < v_required THEN
    v_max_credits := p_source.max_credits;
    v_required := v_max_credits;
  END IF;
  IF v_account.unfinished + v_total > v_account.pending_limit THEN
    RETURN format('pending limit reached: %s tasks are unfinished, %s would be added, and the limit is %s',
      v_account.unfinished, v_total, v_account.pending_limit);
  ELSIF v_account.balance - v_account.reserved < v_required THEN
    RETURN format('insufficient credits: its %s addresses need %s, and %s are available',
      v_total, v_required, v_account.balance - v_account.reserved);
  END IF;
  PERFORM engine.grow_run(v_run.no, v_total, v_max_credits);
  IF v_run.kind = 'stage' THEN RETURN NULL; END IF;
  -- From now on it is a batch as any other.
  UPDATE gleaner.runs r SET root_no = NULL,
    state = CASE v_total WHEN 0 THEN 'succeeded' ELSE r.state END,
    finished_at = CASE v_total WHEN 0 THEN clock_timestamp() END
  WHERE r.no = v_run.no;
  UPDATE gleaner.run_sources q SET root_no = NULL WHERE q.run_no = v_run.no;
  DELETE FROM gleaner.stages s WHERE s.run_no = v_run.no;
  IF v_total = 0 THEN PERFORM engine.emit_run_event(v_run.no); END IF;
  RETURN NULL;
END
$$;

-- Ends a run whose source can't be read, or can't begin. The caller holds the locks of the root and the account.
CREATE FUNCTION engine.fail_source(p_source gleaner.run_sources, p_error text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.drop_waiting(p_source.root_no);
  UPDATE gleaner.run_sources q SET state = 'failed', error = p_error WHERE q.run_no = p_source.run_no;
  UPDATE gleaner.runs r SET state = 'failed', finished_at = clock_timestamp()
  WHERE r.no IN (p_source.source_no, p_source.run_no);
  PERFORM engine.fold_entries(r.id) FROM gleaner.runs r WHERE r.no = p_source.source_no;
  -- A stage has none.
  PERFORM engine.emit_run_event(p_source.run_no);
END
$$;

-- Begins or fails the run of a source that was read to its end. The caller holds the row of workflow_runs; it takes the account's lock.
-- Returns the number of a run that began.
CREATE FUNCTION engine.end_source(p_root gleaner.workflow_runs) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_source gleaner.run_sources;
  v_error text;
BEGIN
  SELECT q.* INTO v_source FROM gleaner.run_sources q JOIN gleaner.runs r ON r.no = q.source_no JOIN gleaner.stages s ON s.run_no = r.no
  WHERE q.root_no = p_root.no AND q.state = 'reading' AND s.numbered = r.total
    AND r.succeeded + r.failed + r.cancelled = r.total
    AND NOT EXISTS (SELECT 1 FROM gleaner.child_batches b WHERE b.root_no = p_root.no)
    AND EXISTS (SELECT 1 FROM gleaner.runs n WHERE n.no = p_root.no AND n.state IN ('pending', 'running'));
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE gleaner.run_sources q SET files = f.files, entries = f.entries, left_out = f.left_out FROM (
    SELECT count(*) AS files, sum((o.answer::json ->> 'entries')::integer) AS entries, sum((o.answer::json ->> 'leftOut')::integer) AS left_out
    FROM gleaner.results o WHERE o.run_no = v_source.source_no AND o.ok
  ) f WHERE q.run_no = v_source.run_no;
  v_error := engine.judge_source(v_source);
  IF v_error IS NULL THEN
    -- Undone when the run can't begin.
    BEGIN
      UPDATE gleaner.run_sources q SET state = 'read' WHERE q.run_no = v_source.run_no;
      -- Before the account is locked, as there may be a million.
      IF v_source.cron_no IS NOT NULL THEN PERFORM engine.mark_entries(v_source); END IF;
      PERFORM engine.lock_accounts(ARRAY[p_root.account_id], 0);
      v_error := engine.begin_run(v_source);
      IF v_error IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'GL002'; END IF;
      RETURN v_source.run_no;
    EXCEPTION WHEN SQLSTATE 'GL002' THEN NULL;
    END;
  END IF;
  PERFORM engine.lock_accounts(ARRAY[p_root.account_id], 0);
  PERFORM engine.fail_source(v_source, v_error);
  RETURN NULL;
END
$$;

-- Reads a source that failed again, from its first file. Returns the message to a worker; null when none failed. The caller
-- holds the row of workflow_runs and the account's lock.
CREATE FUNCTION engine.reopen_source(p_root_no bigint) RETURNS engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_source gleaner.run_sources;
  v_queue text;
BEGIN
  UPDATE gleaner.run_sources q SET state = 'reading', files = NULL, entries = NULL, left_out = NULL, error = NULL
  WHERE q.root_no = p_root_no AND q.state = 'failed' RETURNING * INTO v_source;
  IF NOT FOUND THEN RETURN NULL; END IF;
  DELETE FROM gleaner.results o WHERE o.run_no = v_source.source_no;
  DELETE FROM gleaner.tasks t WHERE t.run_no = v_source.source_no AND t.seq > 0;
  UPDATE gleaner.runs r SET state = 'pending', finished_at = NULL, total = 1, budget = 1, succeeded = 0, failed = 0,
    cancelled = 0, carved = 0, held = 0
  WHERE r.no = v_source.source_no RETURNING r.queue INTO v_queue;
  UPDATE gleaner.runs r SET state = 'pending', finished_at = NULL WHERE r.no = v_source.run_no;
  UPDATE gleaner.stages s SET numbered = (s.role IS NOT NULL)::integer, duplicates = 0, over_limit = 0, dropped = 0
  WHERE s.run_no IN (v_source.source_no, v_source.run_no);
  UPDATE gleaner.accounts a SET unfinished = a.unfinished + 1 WHERE a.id = v_source.account_id;
  PERFORM engine.wake_turn(v_source.account_id, v_queue);
  RETURN ROW('turn', v_queue, NULL, NULL, NULL, NULL, NULL)::engine.delivery;
END
$$;
