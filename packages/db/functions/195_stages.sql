-- Stages of workflow runs. A stage is a separate run (kind `stage`) under a root (kind `workflow`), so that price,
-- queue, pace, retries and sinks work as in any run.
-- Order of locks: workflow_runs, account, chunk, run. Code that stores tasks of a stage, cancels or retries locks the
-- row of workflow_runs first. Settling locks only the account: it never writes workflow_runs, stages or child_batches.

-- Creates a workflow run with its stages, gives the inputs to the first stage and reserves their price. Arguments and
-- outcomes are those of engine.submit_runs; tasks that are loaded already have their keys. p_root: {id, no, name, webhookUrl, workflowId, version, maxTasks,
-- maxCredits}. p_stages: [{no, name, mode, queue, target, config, sink, retries, price, sources, plan, maxTasks,
-- takesOwn, role, duplicates}]; the first may have `crawl`, see engine.create_crawl, or `source`, see engine.on_created. A batch that
-- waits for its source has an id, a kind and a webhookUrl of its own, and a root of the kind `stage`.
CREATE FUNCTION engine.create_workflow_run(
  p_account text, p_root jsonb, p_stages jsonb, p_max_credits bigint, p_total integer, p_inputs text
) RETURNS TABLE (
  outcome text, required bigint, available bigint, unfinished bigint, pending_limit bigint, delivery engine.delivery
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_root bigint := (p_root ->> 'no')::bigint;
  v_first constant jsonb := p_stages -> 0;
  v_first_no constant bigint := (p_stages -> 0 ->> 'no')::bigint;
BEGIN
  RETURN QUERY SELECT c.outcome, c.required, c.available, c.unfinished, c.pending_limit, c.delivery
    FROM engine.submit_runs(ARRAY[jsonb_populate_record(NULL::engine.new_run, v_first || jsonb_build_object(
      'id', (p_root ->> 'id') || '/' || (v_first ->> 'name'), 'account_id', p_account, 'kind', 'stage',
      'max_credits', p_max_credits, 'total', p_total, 'inputs', p_inputs))]) c;
  IF NOT EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.no = v_first_no) THEN RETURN; END IF;
  IF (v_first ->> 'takesOwn')::boolean AND p_inputs IS NOT NULL THEN
    UPDATE gleaner.tasks t SET key = md5(t.input)::uuid WHERE t.run_no = v_first_no;
  END IF;
  INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, webhook_url, retries,
    price, budget, total, last_served, created_at)
  SELECT p_root ->> 'id', v_root, p_account, coalesce(p_root ->> 'runKind', 'workflow'), p_root ->> 'name', 'pending',
    CASE WHEN bool_or(s ->> 'mode' = 'return') THEN 'return' ELSE 'database' END, 'none',
    jsonb_build_object('type', 'workflow', 'workflowId', p_root ->> 'workflowId', 'version', p_root -> 'version'),
    '{}', p_root ->> 'webhookUrl', 0, 0, 0, 0, 0, now()
  FROM jsonb_array_elements(p_stages) s;
  INSERT INTO gleaner.workflow_runs (no, id, account_id, kind, workflow_id, workflow_version, max_tasks, max_credits)
  VALUES (v_root, p_root ->> 'id', p_account, coalesce(p_root ->> 'kind', 'workflow'), p_root ->> 'workflowId',
    (p_root ->> 'version')::integer, (p_root ->> 'maxTasks')::integer, (p_root ->> 'maxCredits')::bigint);
  INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, sink, webhook_url, retries, price,
    budget, total, last_served, created_at, expires_at)
  SELECT coalesce(s ->> 'id', (p_root ->> 'id') || '/' || (s ->> 'name')), (s ->> 'no')::bigint, p_account,
    coalesce(s ->> 'kind', 'stage'), s ->> 'name', 'pending', s ->> 'mode', s ->> 'queue', s -> 'target', s -> 'config',
    nullif(s -> 'sink', 'null'), s ->> 'webhookUrl', (s ->> 'retries')::integer,
    (s ->> 'price')::integer, 0, 0, engine.microseconds_now(), now(),
    CASE s ->> 'mode' WHEN 'return' THEN now() + interval '24 hours' END
  FROM jsonb_array_elements(p_stages - 0) s;
  UPDATE gleaner.runs r SET root_no = CASE WHEN r.no <> v_root THEN v_root END, key_id = p_root ->> 'keyId',
    cron_id = p_root ->> 'cronId'
  WHERE r.no = v_root OR r.no IN (SELECT (s ->> 'no')::bigint FROM jsonb_array_elements(p_stages) s);
  INSERT INTO gleaner.stages (run_no, root_no, stage, name, role, sources, plan, max_tasks, numbered, duplicates)
  SELECT (s ->> 'no')::bigint, v_root, g.place - 1, coalesce(s ->> 'name', 'batch'), s ->> 'role',
    ARRAY(SELECT e::smallint FROM jsonb_array_elements_text(s -> 'sources') e), s -> 'plan',
    (s ->> 'maxTasks')::integer, CASE g.place WHEN 1 THEN p_total ELSE 0 END, coalesce((s ->> 'duplicates')::integer, 0)
  FROM jsonb_array_elements(p_stages) WITH ORDINALITY g (s, place);
  PERFORM engine.on_created(p_account, v_root, p_stages, p_total);
END
$$;

-- Keeps the children of results, in the transaction that writes these results. p_batches: [{run, parentSeqs, inputs,
-- carried, values, refused}]. values: the long texts that `carried` names by their keys, each once for its run.
CREATE FUNCTION engine.add_children(p_root_no bigint, p_parent_no bigint, p_batches jsonb) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.carried_values (run_no, key, value)
  SELECT (b ->> 'run')::bigint, v.key, v.value
  FROM jsonb_array_elements(p_batches) b CROSS JOIN LATERAL jsonb_each_text(b -> 'values') v
  ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  INSERT INTO gleaner.child_batches (root_no, run_no, parent_no, parent_seqs, inputs, carried, refused)
  SELECT p_root_no, (b ->> 'run')::bigint, p_parent_no,
    ARRAY(SELECT e::integer FROM jsonb_array_elements_text(b -> 'parentSeqs') e), b ->> 'inputs', b ->> 'carried',
    (b ->> 'refused')::integer
  FROM jsonb_array_elements(p_batches) b
$$;

-- Adds stored tasks to a run and reserves their price, or p_max_credits, which is then all that the run may charge. The caller
-- holds the account's lock, and found the credits. It makes the account's turn ready.
CREATE FUNCTION engine.grow_run(p_no bigint, p_count integer, p_max_credits bigint DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_run gleaner.runs;
  v_required bigint;
BEGIN
  SELECT * INTO STRICT v_run FROM gleaner.runs r WHERE r.no = p_no FOR NO KEY UPDATE;
  v_required := coalesce(p_max_credits, v_run.price::bigint * p_count);
  UPDATE gleaner.runs r SET total = r.total + p_count, budget = r.budget + coalesce(p_max_credits / nullif(r.price, 0), p_count),
    max_credits = coalesce(p_max_credits, r.max_credits + v_required), reserved = r.reserved + v_required
  WHERE r.no = p_no;
  PERFORM engine.wake_turn(v_run.account_id, v_run.queue);
  UPDATE gleaner.accounts a SET reserved = a.reserved + v_required, unfinished = a.unfinished + p_count
  WHERE a.id = v_run.account_id;
  IF v_required = 0 THEN RETURN; END IF;
  -- A total is reached once, so the entry is unique.
  INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, part, slice)
  VALUES (v_run.account_id, 'reserve', v_required, v_run.id, -2, v_run.total + p_count);
END
$$;

-- Makes stored tasks part of their stages, as many as there are credits for; later stages first, as they complete rows.
-- Notes in run_pauses why others wait. The caller holds the account's lock.
CREATE FUNCTION engine.publish_tasks(p_root gleaner.workflow_runs) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_stage record;
  v_account gleaner.accounts;
  v_room bigint;
  v_count bigint;
  v_credits bigint;
  v_tasks bigint;
  v_reason text;
  v_required bigint;
BEGIN
  FOR v_stage IN
    SELECT s.run_no, s.numbered - r.total AS waiting, r.price FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no
    WHERE s.root_no = p_root.no AND s.numbered > r.total AND r.state IN ('pending', 'running')
      AND engine.may_begin(s.run_no)
    ORDER BY s.stage DESC
  LOOP
    SELECT * INTO STRICT v_account FROM gleaner.accounts a WHERE a.id = p_root.account_id;
    v_credits := CASE v_stage.price WHEN 0 THEN v_stage.waiting
      ELSE (v_account.balance - v_account.reserved) / v_stage.price END;
    SELECT CASE WHEN p_root.max_credits IS NULL OR v_stage.price = 0 THEN v_stage.waiting
      ELSE (p_root.max_credits - sum(r.used + r.reserved)) / v_stage.price END
    INTO v_room FROM gleaner.runs r WHERE r.root_no = p_root.no;
    v_tasks := v_account.pending_limit - v_account.unfinished;
    v_count := greatest(least(v_stage.waiting, v_credits, v_room, v_tasks), 0);
    IF v_count > 0 THEN PERFORM engine.grow_run(v_stage.run_no, v_count::integer); END IF;
    IF v_count < v_stage.waiting THEN
      v_reason := CASE v_count WHEN v_room THEN 'limit' WHEN v_tasks THEN 'pending' ELSE 'credits' END;
      IF v_room <= 0 THEN v_reason := 'limit'; END IF;
      v_required := v_stage.price;
    END IF;
  END LOOP;
  IF v_reason IS NULL THEN
    DELETE FROM gleaner.run_pauses p WHERE p.root_no = p_root.no;
  ELSE
    INSERT INTO gleaner.run_pauses AS p (root_no, account_id, reason, required)
    VALUES (p_root.no, p_root.account_id, v_reason, v_required)
    ON CONFLICT (root_no) DO UPDATE SET reason = excluded.reason, required = excluded.required,
      since = CASE p.reason WHEN excluded.reason THEN p.since ELSE now() END;
  END IF;
END
$$;

-- Ends the stages without remaining work that no other stage can feed any more, in their order, and with the last one
-- the root. The caller holds the account's lock.
CREATE FUNCTION engine.end_stages(p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_stage record;
  v_ended smallint[] := '{}';
  v_is_over boolean := true;
BEGIN
  FOR v_stage IN
    SELECT s.run_no, s.stage, s.sources, s.numbered, r.id, r.total, r.succeeded, r.failed, r.cancelled,
      s.left_out, s.role, r.state NOT IN ('pending', 'running') AS has_ended
    FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no WHERE s.root_no = p_root_no ORDER BY s.stage
  LOOP
    IF NOT v_stage.has_ended THEN
      IF NOT v_stage.sources <@ v_ended OR v_stage.numbered > v_stage.total
        OR v_stage.succeeded + v_stage.failed + v_stage.cancelled < v_stage.total
        OR EXISTS (SELECT 1 FROM gleaner.child_batches b WHERE b.root_no = p_root_no AND b.run_no = v_stage.run_no)
        OR NOT engine.may_end(p_root_no, v_stage.run_no, v_stage.role)
      THEN
        v_is_over := false;
        CONTINUE;
      END IF;
      UPDATE gleaner.runs r SET finished_at = clock_timestamp(),
        state = CASE WHEN r.succeeded > 0 OR r.total = 0 THEN 'succeeded'
          WHEN r.cancelled > v_stage.left_out THEN 'cancelled' ELSE 'failed' END
      WHERE r.no = v_stage.run_no;
      PERFORM engine.fold_entries(v_stage.id);
      PERFORM engine.on_settled(ARRAY[ROW(v_stage.run_no, v_stage.id, NULL, true, true, v_stage.cancelled > v_stage.left_out)
        ::engine.settled_run]);
    END IF;
    v_ended := v_ended || v_stage.stage;
  END LOOP;
  IF NOT v_is_over THEN RETURN; END IF;
  UPDATE gleaner.runs r SET finished_at = clock_timestamp(), started_at = s.started_at, state = CASE
    WHEN s.succeeded > 0 OR s.was_empty THEN 'succeeded' WHEN s.cancelled > 0 THEN 'cancelled' ELSE 'failed' END
  FROM engine.sum_stages(p_root_no) s WHERE r.no = p_root_no AND r.state IN ('pending', 'running');
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM engine.emit_run_event(p_root_no);
  PERFORM engine.await_judgement(p_root_no);
END
$$;

-- Continues a workflow run after tasks of a stage ended or were stored. The caller holds the account's lock.
CREATE FUNCTION engine.settle_root(p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_root gleaner.workflow_runs;
BEGIN
  SELECT * INTO STRICT v_root FROM gleaner.workflow_runs w WHERE w.no = p_root_no;
  PERFORM engine.publish_tasks(v_root);
  PERFORM engine.end_stages(p_root_no);
END
$$;

-- Gives up stored tasks that will never begin. There may be a million, and the caller holds the locks of the root and the
-- account: so they are only noted, for engine.remove_dropped. p_is_cancelled: what is under way ends, too.
CREATE FUNCTION engine.drop_waiting(p_root_no bigint, p_is_cancelled boolean DEFAULT false) RETURNS void
LANGUAGE sql AS $$
  WITH dropped AS (
    UPDATE gleaner.stages s SET numbered = r.total, dropped = s.dropped + s.numbered - r.total
    FROM gleaner.runs r WHERE r.no = s.run_no AND s.root_no = p_root_no AND s.numbered > r.total
    RETURNING s.run_no, s.numbered
  )
  INSERT INTO gleaner.dropped_tasks (run_no, root_no, from_seq) SELECT d.run_no, p_root_no, d.numbered FROM dropped d
  ON CONFLICT DO NOTHING;
  DELETE FROM gleaner.run_pauses p WHERE p.root_no = p_root_no;
  SELECT engine.on_dropped(p_root_no, p_is_cancelled)
$$;

-- Removes a part of what a workflow run gave up, and of children that it has left after its end. Returns whether there is
-- more: until then nothing is stored, as new tasks get the numbers of those that are removed. The caller holds the root's lock.
CREATE FUNCTION engine.remove_dropped(p_root_no bigint, p_count integer DEFAULT 10000) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_noted gleaner.dropped_tasks;
  v_has_ended constant boolean := NOT EXISTS (
    SELECT 1 FROM gleaner.runs r WHERE r.no = p_root_no AND r.state IN ('pending', 'running'));
BEGIN
  SELECT d.* INTO v_noted FROM gleaner.dropped_tasks d WHERE d.root_no = p_root_no ORDER BY d.run_no LIMIT 1;
  IF FOUND THEN
    DELETE FROM gleaner.tasks t
    WHERE t.run_no = v_noted.run_no AND t.seq >= v_noted.from_seq AND t.seq < v_noted.from_seq + p_count;
    IF EXISTS (SELECT 1 FROM gleaner.tasks t WHERE t.run_no = v_noted.run_no AND t.seq >= v_noted.from_seq + p_count) THEN
      UPDATE gleaner.dropped_tasks d SET from_seq = v_noted.from_seq + p_count WHERE d.run_no = v_noted.run_no;
    ELSE
      DELETE FROM gleaner.dropped_tasks d WHERE d.run_no = v_noted.run_no;
    END IF;
  ELSIF v_has_ended THEN
    WITH gone AS (
      -- One has up to 16 MB.
      DELETE FROM gleaner.child_batches b WHERE b.id IN (
        SELECT n.id FROM gleaner.child_batches n WHERE n.root_no = p_root_no ORDER BY n.id LIMIT 5)
      RETURNING b.run_no, cardinality(b.parent_seqs) AS children
    )
    UPDATE gleaner.stages s SET dropped = s.dropped + g.children
    FROM (SELECT gone.run_no, sum(gone.children) AS children FROM gone GROUP BY gone.run_no) g WHERE s.run_no = g.run_no;
  END IF;
  RETURN EXISTS (SELECT 1 FROM gleaner.dropped_tasks d WHERE d.root_no = p_root_no)
    OR (v_has_ended AND EXISTS (SELECT 1 FROM gleaner.child_batches b WHERE b.root_no = p_root_no));
END
$$;

-- Makes tasks of some of a stage's children: drops those that it has already, applies the limits and stores the others. The caller
-- holds the root's lock.
CREATE FUNCTION engine.number_stage(p_root gleaner.workflow_runs, p_stage gleaner.stages) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_room bigint;
  v_seen record;
BEGIN
  SELECT least(p_root.max_tasks - coalesce(sum(s.numbered) FILTER (WHERE s.role IS DISTINCT FROM 'source'), 0), coalesce(p_stage.max_tasks, 2147483647) - p_stage.numbered)
  INTO v_room FROM gleaner.stages s WHERE s.root_no = p_stage.root_no;
  WITH taken AS MATERIALIZED (
    DELETE FROM gleaner.child_batches b WHERE b.id IN (
      SELECT n.id FROM gleaner.child_batches n WHERE n.root_no = p_stage.root_no AND n.run_no = p_stage.run_no
      -- Few at first, so that the stage's first tasks begin soon.
      ORDER BY n.id LIMIT CASE WHEN p_stage.numbered = 0 THEN 1 ELSE 5 END
    ) RETURNING *
  ), lines AS MATERIALIZED (
    SELECT t.id, t.parent_no, c.place, c.input, c.carried, c.parent_seq, md5(c.input)::uuid AS key
    FROM taken t CROSS JOIN LATERAL ROWS FROM (
      unnest(t.parent_seqs), unnest(string_to_array(t.inputs, E'\n')), unnest(string_to_array(t.carried, E'\n'))
    ) WITH ORDINALITY c (parent_seq, input, carried, place)
  ), fresh AS MATERIALIZED (
    -- Without the limit Postgres reads all tasks of the stage.
    SELECT DISTINCT ON (l.key) l.* FROM lines l LEFT JOIN LATERAL (
      SELECT true AS is_known FROM gleaner.tasks t WHERE t.run_no = p_stage.run_no AND t.key = l.key LIMIT 1
    ) t ON true
    WHERE t.is_known IS NULL ORDER BY l.key, l.id, l.place
  ), added AS (
    INSERT INTO gleaner.tasks (run_no, seq, input, parent_no, parent_seq, carried, key)
    SELECT p_stage.run_no, p_stage.numbered + f.ordinal - 1, f.input, f.parent_no, f.parent_seq, f.carried, f.key
    FROM (SELECT g.*, row_number() OVER (ORDER BY g.id, g.place)::integer AS ordinal FROM fresh g) f
    WHERE f.ordinal <= v_room RETURNING 1
  )
  SELECT (SELECT count(*) FROM lines)::integer AS children, (SELECT count(*) FROM fresh)::integer AS fresh,
    (SELECT count(*) FROM added)::integer AS added, (SELECT coalesce(sum(t.refused), 0) FROM taken t)::integer AS refused
  INTO v_seen;
  UPDATE gleaner.stages s SET numbered = s.numbered + v_seen.added, refused = s.refused + v_seen.refused,
    duplicates = s.duplicates + v_seen.children - v_seen.fresh, over_limit = s.over_limit + v_seen.fresh - v_seen.added
  WHERE s.run_no = p_stage.run_no;
END
$$;

-- Makes tasks of children: drops those that their stage has already, applies the
-- limits, stores the others and makes them part of the stage as far as there are credits. The long part holds only the
-- root's lock. is_more: there are further ones, so call it again. There is always a row; its delivery may be
-- null. It waits for a lock for at most p_wait_ms, then fails with lock_not_available.
CREATE FUNCTION engine.number_children(p_root_no bigint, p_wait_ms integer DEFAULT NULL) RETURNS TABLE (is_more boolean, delivery engine.delivery)
LANGUAGE plpgsql SET enable_seqscan = off AS $$ -- live work may be none when a plan is made
DECLARE
  v_root gleaner.workflow_runs;
  v_stage gleaner.stages;
  v_pause gleaner.run_pauses;
  v_numbered engine.numbered;
  v_begun bigint;
BEGIN
  is_more := false;
  IF p_wait_ms IS NOT NULL THEN PERFORM set_config('lock_timeout', p_wait_ms::text, true); END IF;
  SELECT * INTO v_root FROM gleaner.workflow_runs w WHERE w.no = p_root_no FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
  is_more := engine.remove_dropped(p_root_no);
  IF is_more THEN RETURN NEXT; RETURN; END IF;
  IF EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.no = p_root_no AND r.state IN ('pending', 'running')) THEN
    v_numbered := engine.on_numbering(v_root);
  END IF;
  FOR v_stage IN
    SELECT s.* FROM gleaner.stages s WHERE s.root_no = p_root_no
      AND EXISTS (SELECT 1 FROM gleaner.child_batches b WHERE b.root_no = p_root_no AND b.run_no = s.run_no)
    ORDER BY s.stage
  LOOP
    PERFORM engine.number_stage(v_root, v_stage);
  END LOOP;
  is_more := coalesce(v_numbered.is_more, false)
    OR EXISTS (SELECT 1 FROM gleaner.child_batches b WHERE b.root_no = p_root_no);
  v_begun := engine.on_numbered(v_root);
  PERFORM engine.lock_accounts(ARRAY[v_root.account_id], 0);
  IF coalesce((SELECT r.state FROM gleaner.runs r WHERE r.no = p_root_no), 'removed') NOT IN ('pending', 'running') THEN
    PERFORM engine.drop_waiting(p_root_no);
    is_more := false;
    RETURN NEXT; RETURN;
  END IF;
  PERFORM engine.settle_runs(v_numbered.ends);
  IF v_numbered.is_over THEN
    FOR delivery IN SELECT * FROM engine.on_over(p_root_no) LOOP RETURN NEXT; END LOOP;
  END IF;
  -- Settling does it as well.
  IF coalesce(cardinality(v_numbered.ends), 0) = 0 OR v_numbered.is_over THEN PERFORM engine.settle_root(p_root_no); END IF;
  SELECT * INTO v_pause FROM gleaner.run_pauses p WHERE p.root_no = p_root_no;
  -- The run's own limit is spent once no work under way can give credits back. A run waits one day for credits of the
  -- account.
  IF NOT is_more AND ((v_pause.reason = 'credits' AND v_pause.since < now() - interval '24 hours')
    OR (v_pause.reason = 'limit' AND NOT EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.root_no = p_root_no AND r.reserved > 0)))
  THEN
    PERFORM engine.drop_waiting(p_root_no);
    FOR delivery IN SELECT * FROM engine.on_over(p_root_no) LOOP RETURN NEXT; END LOOP;
    PERFORM engine.settle_root(p_root_no);
  END IF;
  FOR delivery IN
    SELECT DISTINCT 'turn', r.queue, NULL::int, NULL, NULL::int, NULL, NULL FROM gleaner.runs r
    WHERE (r.root_no = p_root_no OR r.no = v_begun) AND r.is_open
  LOOP
    RETURN NEXT;
  END LOOP;
  IF NOT FOUND THEN RETURN NEXT; END IF;
END
$$;

-- engine.cancel_run of a workflow run.
CREATE FUNCTION engine.cancel_workflow_run(p_account text, p_no bigint)
RETURNS TABLE (outcome text, delivery engine.delivery)
LANGUAGE plpgsql AS $$
DECLARE
  v_stage text;
BEGIN
  PERFORM 1 FROM gleaner.workflow_runs w WHERE w.no = p_no FOR NO KEY UPDATE;
  PERFORM engine.lock_accounts(ARRAY[p_account], 0);
  IF coalesce((SELECT r.state FROM gleaner.runs r WHERE r.no = p_no), 'removed') NOT IN ('pending', 'running') THEN
    outcome := 'finished'; RETURN NEXT; RETURN;
  END IF;
  PERFORM engine.drop_waiting(p_no, true);
  outcome := 'cancelled';
  delivery := NULL;
  RETURN NEXT;
  -- The last stage first: the slots that a stage gives back are not given to a stage that is cancelled next.
  FOR v_stage IN
    SELECT r.id FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no
    WHERE s.root_no = p_no AND r.state IN ('pending', 'running') ORDER BY s.stage DESC
  LOOP
    FOR delivery IN SELECT (c.delivery).* FROM engine.cancel_run(p_account, v_stage) c LOOP RETURN NEXT; END LOOP;
  END LOOP;
  PERFORM engine.on_cancelled(p_no);
  UPDATE gleaner.runs r SET state = 'cancelled', finished_at = clock_timestamp(),
    started_at = (SELECT min(s.started_at) FROM gleaner.runs s WHERE s.root_no = p_no)
  WHERE r.no = p_no;
  PERFORM engine.emit_run_event(p_no);
END
$$;

-- Runs the failed tasks of all stages again, or of one. outcome: from engine.retry_run for the stage that refuses, else
-- retried | nothing | cancelled | limit (required, available: of the run's own limit on credits). The caller rolls
-- back unless the outcome is retried or nothing. There is always a row; its delivery may be null.
CREATE FUNCTION engine.retry_workflow_run(
  p_account text, p_id text, p_cause text DEFAULT NULL, p_stage text DEFAULT NULL
) RETURNS TABLE (
  outcome text, required bigint, available bigint, unfinished bigint, pending_limit bigint, delivery engine.delivery
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_root gleaner.workflow_runs;
  v_stage record;
  v_retried record;
  v_from smallint;
  v_refused text;
BEGIN
  SELECT w.* INTO v_root FROM gleaner.workflow_runs w WHERE w.id = p_id AND w.account_id = p_account FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'absent'; RETURN NEXT; RETURN;
  END IF;
  PERFORM engine.lock_accounts(ARRAY[p_account], 0);
  IF EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.no = v_root.no AND r.state = 'cancelled') THEN
    outcome := 'cancelled'; RETURN NEXT; RETURN;
  END IF;
  FOR v_stage IN
    SELECT s.stage, r.id FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no
    WHERE s.root_no = v_root.no AND r.kind = 'stage' AND s.role IS DISTINCT FROM 'source'
      AND (p_stage IS NULL OR s.name = p_stage)
    ORDER BY s.stage
  LOOP
    FOR v_retried IN SELECT * FROM engine.retry_run(p_account, v_stage.id, false, p_cause) LOOP
      outcome := v_retried.outcome;
      required := v_retried.required;
      available := v_retried.available;
      unfinished := v_retried.unfinished;
      pending_limit := v_retried.pending_limit;
      IF outcome IN ('credits', 'pending', 'expired', 'absent') THEN
        delivery := NULL; RETURN NEXT; RETURN;
      ELSIF outcome IN ('spent', 'held') THEN
        v_refused := outcome;
      ELSIF outcome = 'retried' THEN
        v_from := coalesce(v_from, v_stage.stage);
        delivery := v_retried.delivery;
        RETURN NEXT;
      END IF;
    END LOOP;
  END LOOP;
  delivery := engine.on_retried(v_root.no);
  IF delivery.kind IS NOT NULL THEN
    v_from := 0; outcome := 'retried'; RETURN NEXT;
  END IF;
  IF v_from IS NULL THEN
    outcome := coalesce(v_refused, 'nothing'); delivery := NULL; RETURN NEXT; RETURN;
  END IF;
  SELECT sum(r.used + r.reserved), v_root.max_credits INTO required, available FROM gleaner.runs r
  WHERE r.root_no = v_root.no;
  IF required > available THEN
    outcome := 'limit'; delivery := NULL; RETURN NEXT; RETURN;
  END IF;
  -- Stages behind may get tasks again.
  UPDATE gleaner.runs r SET finished_at = NULL, state = CASE WHEN r.started_at IS NULL THEN 'pending' ELSE 'running' END
  FROM gleaner.stages s WHERE s.root_no = v_root.no AND s.stage > v_from AND r.no = s.run_no;
  UPDATE gleaner.runs r SET finished_at = NULL, state = 'running' WHERE r.no = v_root.no;
END
$$;

-- The data of workflow_run.finished.
CREATE FUNCTION engine.workflow_event(p_root gleaner.runs) RETURNS json
LANGUAGE sql STABLE AS $$
  SELECT json_build_object(
    'id', p_root.id,
    'workflow_id', p_root.target ->> 'workflowId',
    'name', p_root.name,
    'status', p_root.state,
    'counts', json_build_object('total', sum(r.total - s.left_out), 'succeeded', sum(r.succeeded), 'failed', sum(r.failed),
      'cancelled', sum(r.cancelled - s.left_out)),
    'stages', json_agg(json_build_object('name', r.name, 'status', r.state, 'counts', json_build_object(
      'total', r.total - s.left_out, 'succeeded', r.succeeded, 'failed', r.failed, 'cancelled', r.cancelled - s.left_out))
      ORDER BY s.stage),
    -- Those of routes too, which the sums leave out.
    'has_failures', EXISTS (SELECT FROM gleaner.stages n JOIN gleaner.runs f ON f.no = n.run_no
      WHERE n.root_no = p_root.no AND coalesce(n.role, 'pages') NOT IN ('source', 'sources') AND f.failed > 0),
    'held', engine.held_rows(ARRAY(SELECT n.run_no FROM gleaner.stages n WHERE n.root_no = p_root.no)),
    'credits', json_build_object('used', sum(r.used)),
    'created_at', engine.iso_time(p_root.created_at),
    'started_at', engine.iso_time(p_root.started_at),
    'finished_at', engine.iso_time(p_root.finished_at))
  FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no
  -- Sources and routes are parts of the stage that crawls.
  WHERE s.root_no = p_root.no AND coalesce(s.role, 'pages') = 'pages'
$$;

-- Removes the remaining rows of workflow runs after their rows of runs were removed.
CREATE FUNCTION engine.remove_stages(p_roots bigint[]) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM gleaner.workflow_runs w WHERE w.no = ANY (p_roots);
  DELETE FROM gleaner.runs r WHERE r.root_no = ANY (p_roots);
  DELETE FROM gleaner.stages s WHERE s.root_no = ANY (p_roots);
  DELETE FROM gleaner.child_batches b WHERE b.root_no = ANY (p_roots);
  DELETE FROM gleaner.run_pauses p WHERE p.root_no = ANY (p_roots);
  DELETE FROM gleaner.dropped_tasks d WHERE d.root_no = ANY (p_roots);
  SELECT engine.on_removed(p_roots)
$$;
