-- Runs: settle, end, cancel, retry.

-- Removes the outcomes of all successes but the first p_keep, in the order of inputs: a success that can't be charged
-- isn't given out.
CREATE FUNCTION engine.drop_surplus(p_run_no bigint, p_keep integer) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM gleaner.results t WHERE t.run_no = p_run_no AND t.seq IN (
    SELECT o.seq FROM gleaner.results o WHERE o.run_no = p_run_no AND o.ok ORDER BY o.seq OFFSET p_keep)
$$;

-- Removes the chunks of a run. Returns the outcomes that they had flushed. The caller holds the run's lock.
CREATE FUNCTION engine.remove_chunks(p_run_no bigint) RETURNS TABLE (succeeded integer, failed integer)
LANGUAGE sql AS $$
  WITH locked AS MATERIALIZED (
    SELECT c.chunk FROM gleaner.chunks c WHERE c.run_no = p_run_no ORDER BY c.chunk FOR UPDATE
  ), gone AS (
    DELETE FROM gleaner.chunks c USING locked l WHERE c.run_no = p_run_no AND c.chunk = l.chunk
    RETURNING c.succeeded, c.failed
  )
  SELECT coalesce(sum(g.succeeded), 0)::int, coalesce(sum(g.failed), 0)::int FROM gone g
$$;

-- Counts new outcomes of one attempt of a chunk in its run, charges the successes and gives back the credits that can't
-- be charged any more: the reservation is always the price of what may still succeed. Ends the run when no task is
-- left. No more tasks are under way than the budget has room for. If a run broke that rule, it ends with its budget,
-- and the surplus counts as cancelled. The caller holds the locks of the account and the chunk.
CREATE FUNCTION engine.settle_run(
  p_account text, p_run_no bigint, p_chunk integer, p_attempt integer, p_succeeded integer, p_failed integer,
  p_busy_ms real
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_run gleaner.runs;
  v_left integer;
  v_ended integer;
  v_charge bigint;
  v_release bigint;
  v_keep bigint;
  v_count integer := p_succeeded + p_failed;
  v_charged integer;
  v_surplus integer;
  v_gone record;
  v_has_ended boolean;
BEGIN
  SELECT * INTO STRICT v_run FROM gleaner.runs WHERE no = p_run_no FOR NO KEY UPDATE;
  v_ended := v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled;
  v_charged := least(p_succeeded, v_run.budget - v_run.succeeded);
  v_surplus := p_succeeded - v_charged;
  v_run.succeeded := v_run.succeeded + v_charged;
  v_run.failed := v_run.failed + p_failed;
  v_left := v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled;
  -- The budget is used up: tasks that did not begin never will.
  IF v_run.succeeded >= v_run.budget AND v_left > 0 THEN
    SELECT * INTO v_gone FROM engine.remove_chunks(p_run_no);
    v_gone.failed := least(v_gone.failed, v_left);
    v_run.failed := v_run.failed + v_gone.failed;
    v_run.cancelled := v_run.cancelled + v_left - v_gone.failed;
    v_left := 0;
    IF v_surplus + v_gone.succeeded > 0 THEN PERFORM engine.drop_surplus(p_run_no, v_run.succeeded); END IF;
  END IF;
  v_ended := v_ended - v_left;
  v_charge := v_charged::bigint * v_run.price;
  v_keep := v_run.price::bigint * least(v_run.budget - v_run.succeeded, v_left);
  v_release := v_run.reserved - v_charge - v_keep;
  -- stages hook: settle_root ends stages.
  v_has_ended := v_left = 0 AND v_run.root_no IS NULL;
  UPDATE gleaner.runs SET
    succeeded = v_run.succeeded, failed = v_run.failed, cancelled = v_run.cancelled,
    reserved = v_keep, used = used + v_charge,
    task_ms = CASE WHEN v_count = 0 OR p_busy_ms IS NULL THEN task_ms
      ELSE coalesce(task_ms * 0.6, 0) + p_busy_ms / v_count * CASE WHEN task_ms IS NULL THEN 1 ELSE 0.4 END END,
    -- Tasks that a budget cancelled are never cut into chunks, also when a retry opens the run again.
    carved = CASE WHEN v_left > 0 THEN carved ELSE total END,
    held = CASE WHEN v_left > 0 THEN greatest(held - v_count, 0) ELSE 0 END,
    state = CASE WHEN NOT v_has_ended THEN state WHEN v_run.succeeded > 0 THEN 'succeeded'
      WHEN v_run.cancelled > 0 THEN 'cancelled' ELSE 'failed' END,
    finished_at = CASE WHEN v_has_ended THEN clock_timestamp() END
  WHERE no = p_run_no;
  PERFORM engine.settle_credits(
    p_account => p_account, p_charge => v_charge, p_release => v_release, p_reference => v_run.id,
    p_part => p_chunk, p_slice => p_attempt, p_ended => v_ended);
  IF v_has_ended THEN
    -- A run of one chunk that was never given back has nothing to fold.
    IF v_run.next_chunk > 1 OR p_attempt > 1 THEN PERFORM engine.fold_entries(v_run.id); END IF;
    PERFORM engine.emit_run_event(p_run_no);
  END IF;
  -- stages hook
  IF v_run.root_no IS NOT NULL THEN PERFORM engine.settle_root(v_run.root_no); END IF;
END
$$;

-- Cancels a run in one step: removes its chunks (so late results are refused), charges what was flushed, releases the
-- rest of the reservation and hands its slots on. outcome: cancelled | finished | absent. There is always a row; its
-- delivery may be null. The first delivery of a cancelled run is the notice to its workers.
CREATE FUNCTION engine.cancel_run(p_account text, p_id text) RETURNS TABLE (outcome text, delivery engine.delivery)
LANGUAGE plpgsql AS $$
DECLARE
  v_run gleaner.runs;
  v_succeeded integer;
  v_failed integer;
  v_charge bigint;
BEGIN
  PERFORM engine.lock_account(p_account);
  SELECT * INTO v_run FROM gleaner.runs r WHERE r.id = p_id AND r.account_id = p_account;
  IF NOT FOUND THEN
    outcome := 'absent'; RETURN NEXT; RETURN;
  END IF;
  IF v_run.state NOT IN ('pending', 'running') THEN
    outcome := 'finished'; RETURN NEXT; RETURN;
  END IF;
  -- The run first: who takes a chunk holds it, and the statement after sees that chunk.
  SELECT * INTO STRICT v_run FROM gleaner.runs r WHERE r.no = v_run.no FOR NO KEY UPDATE;
  SELECT g.succeeded, g.failed INTO v_succeeded, v_failed FROM engine.remove_chunks(v_run.no) g;
  -- Cancelling always works, also when the chunks of the run have done more than it may count.
  IF v_succeeded > v_run.budget - v_run.succeeded THEN
    v_succeeded := v_run.budget - v_run.succeeded;
    PERFORM engine.drop_surplus(v_run.no, v_run.budget);
  END IF;
  v_failed := least(v_failed, v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled - v_succeeded);
  v_charge := v_succeeded::bigint * v_run.price;
  UPDATE gleaner.runs r SET state = 'cancelled', carved = r.total, held = 0, finished_at = clock_timestamp(),
    succeeded = r.succeeded + v_succeeded, failed = r.failed + v_failed,
    cancelled = r.total - r.succeeded - v_succeeded - r.failed - v_failed,
    used = r.used + v_charge, reserved = 0, next_chunk = r.next_chunk + 1
  WHERE r.no = v_run.no;
  PERFORM engine.settle_credits(
    p_account => p_account, p_charge => v_charge, p_release => v_run.reserved - v_charge, p_reference => v_run.id,
    p_part => -1, p_slice => v_run.next_chunk,
    p_ended => v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled);
  PERFORM engine.fold_entries(v_run.id);
  PERFORM engine.emit_run_event(v_run.no);
  outcome := 'cancelled';
  delivery := engine.worker_notice(v_run.no::text);
  RETURN NEXT;
  FOR delivery IN
    SELECT * FROM engine.admit(p_account) UNION ALL SELECT * FROM engine.wake_turn(p_account, v_run.queue)
  LOOP
    RETURN NEXT;
  END LOOP;
END
$$;

-- Runs failed tasks of a run again, in the order of inputs; with p_cancelled also the cancelled tasks of an ended run.
-- The budget limits how many: unfinished tasks may use up a part of it. outcome: retried | nothing | absent | expired |
-- credits (required, available) | pending (unfinished, pending_limit) | spent or held (budget, succeeded): the budget
-- is used up, or unfinished tasks may use up the rest of it. There is always a row; its delivery may be null.
CREATE FUNCTION engine.retry_run(p_account text, p_id text, p_cancelled boolean DEFAULT false) RETURNS TABLE (
  outcome text, required bigint, available bigint, unfinished bigint, pending_limit bigint, budget integer,
  succeeded integer, delivery engine.delivery
)
LANGUAGE plpgsql SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_run gleaner.runs;
  v_account gleaner.accounts;
  v_failed integer[];
  v_count integer;
  v_had_failed integer;
  v_left integer;
  v_succeeded integer;
  v_room integer;
  v_keep bigint;
  v_chunks integer;
BEGIN
  SELECT * INTO STRICT v_account FROM gleaner.accounts a WHERE a.latest_of = p_account
  ORDER BY a.generation DESC LIMIT 1 FOR NO KEY UPDATE;
  SELECT * INTO v_run FROM gleaner.runs r WHERE r.id = p_id AND r.account_id = p_account FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'absent'; RETURN NEXT; RETURN;
  END IF;
  IF v_run.created_at < now() - interval '24 hours' THEN
    outcome := 'expired'; RETURN NEXT; RETURN;
  END IF;
  SELECT v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled - coalesce(sum(c.succeeded + c.failed), 0),
    v_run.succeeded + coalesce(sum(c.succeeded), 0)
  INTO v_left, v_succeeded FROM gleaner.chunks c WHERE c.run_no = v_run.no;
  v_room := v_run.budget - v_succeeded - v_left;
  -- Failed tasks of live chunks stay as they are: their chunk counts them, or did so before it was taken back.
  WITH held AS MATERIALIZED (
    SELECT unnest(coalesce(c.seqs, ARRAY(SELECT generate_series(c.from_seq, c.to_seq - 1)))) AS seq
    FROM gleaner.chunks c WHERE c.run_no = v_run.no
  ), failed AS (
    SELECT open.seq FROM (
      SELECT t.seq FROM gleaner.results t
      WHERE t.run_no = v_run.no AND NOT t.ok AND NOT EXISTS (SELECT 1 FROM held h WHERE h.seq = t.seq)
      UNION ALL
      -- Only cancelled tasks of an ended run have no outcome.
      SELECT g.seq FROM generate_series(0, v_run.total - 1) g (seq)
      WHERE p_cancelled AND v_run.cancelled > 0 AND v_run.state NOT IN ('pending', 'running')
        AND NOT EXISTS (SELECT 1 FROM gleaner.results o WHERE o.run_no = v_run.no AND o.seq = g.seq)
    ) open ORDER BY open.seq LIMIT greatest(v_room, 1)
  )
  SELECT array_agg(f.seq ORDER BY f.seq) INTO v_failed FROM failed f;
  v_count := coalesce(cardinality(v_failed), 0);
  IF v_count = 0 THEN
    outcome := 'nothing'; RETURN NEXT; RETURN;
  END IF;
  IF v_room <= 0 THEN
    outcome := CASE WHEN v_succeeded >= v_run.budget THEN 'spent' ELSE 'held' END;
    budget := v_run.budget;
    succeeded := v_succeeded;
    RETURN NEXT; RETURN;
  END IF;
  unfinished := v_account.unfinished;
  pending_limit := v_account.pending_limit;
  IF unfinished + v_count > pending_limit THEN
    outcome := 'pending'; RETURN NEXT; RETURN;
  END IF;
  v_keep := v_run.price::bigint
    * least(v_run.budget - v_run.succeeded, v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled + v_count);
  required := v_keep - v_run.reserved;
  available := v_account.balance - v_account.reserved;
  IF available < required THEN
    outcome := 'credits'; RETURN NEXT; RETURN;
  END IF;
  DELETE FROM gleaner.results t WHERE t.run_no = v_run.no AND t.seq = ANY (v_failed) AND NOT t.ok;
  GET DIAGNOSTICS v_had_failed = ROW_COUNT;
  INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, from_seq, to_seq, seqs, remaining)
  SELECT v_run.no, v_run.next_chunk + g.part, p_account, v_run.queue, 'pending', min(g.seq), max(g.seq) + 1,
    array_agg(g.seq ORDER BY g.seq), count(*)
  FROM (
    SELECT f.seq, ((f.ordinal - 1) / 100)::int AS part FROM unnest(v_failed) WITH ORDINALITY f (seq, ordinal)
  ) g GROUP BY g.part;
  GET DIAGNOSTICS v_chunks = ROW_COUNT;
  UPDATE gleaner.runs r SET state = 'running', failed = r.failed - v_had_failed,
    cancelled = r.cancelled - (v_count - v_had_failed), finished_at = NULL, reserved = v_keep,
    next_chunk = r.next_chunk + v_chunks, held = r.held + v_count
  WHERE r.no = v_run.no;
  UPDATE gleaner.accounts a SET reserved = a.reserved + required, unfinished = a.unfinished + v_count
  WHERE a.id = p_account;
  IF required > 0 THEN
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, slice)
    VALUES (p_account, 'reserve', required, v_run.id, v_run.next_chunk);
  END IF;
  outcome := 'retried';
  SELECT * INTO delivery FROM engine.wake_turn(p_account, v_run.queue);
  RETURN NEXT;
END
$$;

-- One snapshot of a run's counts: total = pending + running + succeeded + failed + cancelled, always. waiting_for_sink
-- counts pending or running tasks with a fetched page that waits for the sink's database.
CREATE FUNCTION engine.count_run(p_no bigint)
RETURNS TABLE (
  total integer, pending integer, running integer, succeeded integer, failed integer, cancelled integer,
  reserved bigint, used bigint, waiting_for_sink integer
)
LANGUAGE sql STABLE AS $$
  SELECT r.total, r.total - r.succeeded - r.failed - r.cancelled - c.succeeded - c.failed - c.running, c.running,
    r.succeeded + c.succeeded, r.failed + c.failed, r.cancelled,
    r.reserved - c.succeeded::bigint * r.price, r.used + c.succeeded::bigint * r.price, c.waiting
  FROM gleaner.runs r CROSS JOIN LATERAL (
    SELECT least(coalesce(sum(c.succeeded), 0), r.budget - r.succeeded)::int AS succeeded,
      coalesce(sum(c.failed), 0)::int AS failed,
      coalesce(sum(least(c.slots, c.remaining))
        FILTER (WHERE c.state = 'running' AND c.lease_until > clock_timestamp()), 0)::int AS running,
      coalesce(sum(c.waiting_for_sink)
        FILTER (WHERE c.state = 'running' AND c.lease_until > clock_timestamp()), 0)::int AS waiting
    FROM gleaner.chunks c WHERE c.run_no = r.no
  ) c WHERE r.no = p_no
$$;
