-- Runs: settle, end, cancel, retry.

-- A run has the dearest price that one of its pages may cost, and charges each success its own (results.credits).
-- max_credits bounds what it may ever charge; null: the price of all tasks is no bound. budget: the most successes that it may
-- have, when all further ones cost the dearest price. It grows when a page costs less.

-- The budget of a run with so many successes that cost so much. Below p_succeeded: they cost more than the run may charge.
CREATE FUNCTION engine.budget_at(
  p_budget integer, p_max_credits bigint, p_price integer, p_total integer, p_succeeded integer, p_used bigint
) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_max_credits IS NULL THEN p_budget
    ELSE least(p_total, p_succeeded + floor((p_max_credits - p_used)::numeric / p_price))::integer END
$$;

-- What a run that has charged p_used reserves for its unfinished tasks: the dearest price of each, within its bound. Runs of
-- earlier versions have no max_credits beside their budget, and pages of one price.
CREATE FUNCTION engine.reservation_of(
  p_budget integer, p_max_credits bigint, p_price integer, p_used bigint, p_unfinished integer
) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT least(coalesce(p_max_credits, p_budget::bigint * p_price) - p_used, p_price::bigint * p_unfinished)
$$;

-- Removes the outcomes of successes that a run can't charge, the last ones in the order of inputs: what isn't charged isn't given
-- out. Returns how many stay, and what they cost.
CREATE FUNCTION engine.drop_surplus(p_run_no bigint, p_budget integer, p_max_credits bigint)
RETURNS TABLE (succeeded integer, credits bigint)
LANGUAGE sql AS $$
  WITH placed AS MATERIALIZED (
    SELECT o.seq, o.credits, CASE WHEN p_max_credits IS NULL THEN row_number() OVER inputs > p_budget
      ELSE sum(o.credits) OVER inputs > p_max_credits END AS is_surplus
    FROM gleaner.results o WHERE o.run_no = p_run_no AND o.ok WINDOW inputs AS (ORDER BY o.seq)
  ), gone AS (
    DELETE FROM gleaner.results o WHERE o.run_no = p_run_no AND o.seq IN (SELECT p.seq FROM placed p WHERE p.is_surplus)
  )
  SELECT count(*)::integer, coalesce(sum(p.credits), 0)::bigint FROM placed p WHERE NOT p.is_surplus
$$;

-- What the flushed successes of a chunk cost.
CREATE FUNCTION engine.flushed_credits(p_chunk gleaner.chunks) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT p_chunk.succeeded::bigint * r.price - p_chunk.saved FROM engine.run_of(p_chunk.run_no) r
$$;

-- Outcomes of one attempt of a chunk, which its run has not counted yet. credits: what its successes cost. busy_ms: how long so
-- many tasks took in all; milliseconds, or null. The tasks among which they are: those of seqs, or when it is null a range.
CREATE TYPE engine.run_end AS (
  account_id text, run_no bigint, chunk integer, attempt integer, succeeded integer, credits bigint, failed integer,
  cancelled integer, busy_ms real, timed integer, from_seq integer, to_seq integer, seqs integer[]
);

-- Removes the chunks of a run. Returns what each had flushed, which is known from here alone: a worker may write of a chunk until
-- it is locked. The caller holds the run's lock.
CREATE FUNCTION engine.remove_chunks(p_run_no bigint) RETURNS SETOF engine.run_end
LANGUAGE sql AS $$
  WITH locked AS MATERIALIZED (
    SELECT c.chunk FROM gleaner.chunks c WHERE c.run_no = p_run_no ORDER BY c.chunk FOR UPDATE
  )
  DELETE FROM gleaner.chunks c USING locked l WHERE c.run_no = p_run_no AND c.chunk = l.chunk
  RETURNING c.account_id, c.run_no, c.chunk, c.attempt, c.succeeded, engine.flushed_credits(c), c.failed, 0, NULL::real,
    NULL::integer, c.from_seq, c.to_seq, c.seqs
$$;

-- What a feature counted before children of a root are numbered: `ends` to settle under the account's lock; is_more: call it again;
-- is_over: nothing more will come.
CREATE TYPE engine.numbered AS (ends engine.run_end[], is_more boolean, is_over boolean);

-- The hosts of the outcomes of ends, by the addresses of their tasks. Outcomes that a range has beyond the end's own belong
-- to another attempt. What each page cost is read only where pages of an end cost less than the run's price.
CREATE FUNCTION engine.hosts_of_ends(p_ends engine.run_end[])
RETURNS TABLE (run_no bigint, host text, succeeded bigint, credits bigint, failed bigint)
LANGUAGE sql STABLE AS $$
  WITH ends AS MATERIALIZED (
    SELECT e.*, e.failed > 0 AS may_fail, r.price, e.credits <> e.succeeded::bigint * r.price AS is_mixed,
      e.succeeded + e.failed = coalesce(cardinality(e.seqs), e.to_seq - e.from_seq) AS is_whole
    FROM unnest(p_ends) e CROSS JOIN LATERAL engine.run_of(e.run_no) r
    WHERE e.succeeded + e.failed > 0
  ), tasks AS (
    -- The limits keep it from a join over all partitions.
    SELECT t.run_no, t.seq, t.input, e.may_fail, e.is_whole, e.is_mixed, e.price FROM ends e CROSS JOIN LATERAL (
      SELECT * FROM gleaner.tasks n WHERE n.run_no = e.run_no AND n.seq >= e.from_seq AND n.seq < e.to_seq
      LIMIT e.to_seq - e.from_seq
    ) t
    WHERE e.seqs IS NULL
    UNION ALL
    SELECT t.run_no, t.seq, t.input, e.may_fail, e.is_whole, e.is_mixed, e.price
    FROM ends e CROSS JOIN LATERAL unnest(e.seqs) s (seq)
    CROSS JOIN LATERAL (SELECT * FROM gleaner.tasks n WHERE n.run_no = e.run_no AND n.seq = s.seq LIMIT 1) t
    WHERE e.seqs IS NOT NULL
  )
  SELECT n.run_no, n.host, count(*) FILTER (WHERE NOT n.has_failed),
    coalesce(sum(n.credits) FILTER (WHERE NOT n.has_failed), 0)::bigint, count(*) FILTER (WHERE n.has_failed)
  FROM (
    SELECT t.run_no, engine.host_of(t.input) AS host, CASE WHEN t.is_mixed THEN coalesce((
        SELECT r.credits FROM gleaner.results r WHERE r.run_no = t.run_no AND r.seq = t.seq LIMIT 1), 0)
      ELSE t.price END AS credits, t.may_fail AND EXISTS (
      SELECT 1 FROM gleaner.results r WHERE r.run_no = t.run_no AND r.seq = t.seq AND NOT r.ok LIMIT 1) AS has_failed
    FROM tasks t
    WHERE t.is_whole OR EXISTS (SELECT 1 FROM gleaner.results r WHERE r.run_no = t.run_no AND r.seq = t.seq)
  ) n GROUP BY n.run_no, n.host
$$;

-- Counts what runs used (p_runs: one end each), by the hosts of their ends; what these do not explain counts for the host with
-- most pages. Pages that were kept count where they were fetched, not again when they are read.
CREATE FUNCTION engine.count_runs(p_runs engine.run_end[], p_ends engine.run_end[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.count_usage(ARRAY(
    WITH hosts AS MATERIALIZED (
      SELECT h.*, row_number() OVER (PARTITION BY h.run_no ORDER BY h.succeeded + h.failed DESC, h.host) AS place,
        sum(h.succeeded) OVER (PARTITION BY h.run_no) AS all_succeeded, sum(h.failed) OVER (PARTITION BY h.run_no) AS all_failed,
        sum(h.credits) OVER (PARTITION BY h.run_no) AS all_credits
      FROM engine.hosts_of_ends(p_ends) h
    )
    SELECT ROW(r.account_id, r.key_id, r.target ->> 'parserId', r.cron_id, h.host, n.succeeded,
      coalesce(h.failed, 0) + CASE WHEN h.place > 1 THEN 0 ELSE u.failed - coalesce(h.all_failed, 0) END,
      CASE WHEN h.place > 1 THEN h.credits ELSE u.credits - coalesce(h.all_credits - h.credits, 0) END)::engine.usage
    FROM unnest(p_runs) u CROSS JOIN LATERAL engine.run_of(u.run_no) r LEFT JOIN hosts h ON h.run_no = u.run_no
    CROSS JOIN LATERAL (
      SELECT coalesce(h.succeeded, 0) + CASE WHEN h.place > 1 THEN 0 ELSE u.succeeded - coalesce(h.all_succeeded, 0) END AS succeeded
    ) n
    WHERE u.succeeded + u.failed > 0 AND (u.credits > 0
      OR r.config ->> 'pages' IS DISTINCT FROM 'kept' AND (r.root_no IS NULL OR engine.counts_pages(r.no)))));
END
$$;

-- What settling did to a run.
CREATE TYPE engine.settled_run AS (run_no bigint, id text, root_no bigint, has_ended boolean, has_entries boolean, has_cancelled boolean);

-- Cancels what is left of runs whose budget these ends use up: tasks that have not begun never will. Returns the ends with what
-- the removed chunks had flushed. Successes that the run can't charge, which it has only when it broke a rule, are cancelled.
-- The caller holds the runs' locks.
CREATE FUNCTION engine.end_budgets(p_ends engine.run_end[]) RETURNS engine.run_end[]
LANGUAGE plpgsql AS $$
DECLARE
  v_over record;
  v_gone record;
  v_kept record;
  v_left_over integer;
BEGIN
  FOR v_over IN
    SELECT e.place, r.no, r.budget, r.max_credits, r.succeeded AS counted, r.used AS charged, n.succeeded, n.credits,
      r.total - r.failed - r.cancelled - e.failed AS unfailed
    FROM unnest(p_ends) WITH ORDINALITY e (account_id, run_no, chunk, attempt, succeeded, credits, failed, cancelled, busy_ms,
      timed, from_seq, to_seq, seqs, place)
    CROSS JOIN LATERAL engine.run_of(e.run_no) r
    CROSS JOIN LATERAL (SELECT r.succeeded + e.succeeded AS succeeded, r.used + e.credits AS credits) n
    CROSS JOIN LATERAL (
      SELECT engine.budget_at(r.budget, r.max_credits, r.price, r.total, n.succeeded, n.credits) AS budget) b
    WHERE n.succeeded >= b.budget
      AND (n.succeeded > b.budget OR r.total - r.failed - r.cancelled - e.failed - e.cancelled > n.succeeded)
  LOOP
    SELECT coalesce(sum(g.succeeded), 0)::int AS succeeded, coalesce(sum(g.credits), 0)::bigint AS credits,
      coalesce(sum(g.failed), 0)::int AS failed INTO v_gone FROM engine.remove_chunks(v_over.no) g;
    SELECT v_over.succeeded + v_gone.succeeded AS succeeded, v_over.credits + v_gone.credits AS credits INTO v_kept;
    IF v_kept.succeeded > v_over.budget AND v_over.max_credits IS NULL OR v_kept.credits > v_over.max_credits THEN
      SELECT * INTO v_kept FROM engine.drop_surplus(v_over.no, v_over.budget, v_over.max_credits);
    END IF;
    v_left_over := v_over.unfailed - v_kept.succeeded;
    v_gone.failed := least(v_gone.failed, v_left_over);
    p_ends[v_over.place].succeeded := greatest(v_kept.succeeded - v_over.counted, 0);
    p_ends[v_over.place].credits := greatest(v_kept.credits - v_over.charged, 0);
    p_ends[v_over.place].failed := p_ends[v_over.place].failed + v_gone.failed;
    p_ends[v_over.place].cancelled := v_left_over - v_gone.failed;
  END LOOP;
  RETURN p_ends;
END
$$;

-- Counts new outcomes in their runs, charges each success its price and gives back the credits that can't be charged any more:
-- the reservation is always the dearest price of what may still succeed. Ends the runs that have no task left. The caller holds the
-- locks of the accounts and of the chunks. Counts of a run change only under its account's lock.
CREATE FUNCTION engine.settle_runs(p_ends engine.run_end[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_ends engine.run_end[];
  v_is_budget_used boolean;
  v_settlements engine.settlement[];
  v_settled engine.settled_run[];
  v_run engine.settled_run;
BEGIN
  IF p_ends IS NULL THEN RETURN; END IF;
  -- The first chunk of a run names its entry of the ledger: each chunk ends once.
  v_ends := ARRAY(
    SELECT ROW(e.account_id, e.run_no, (array_agg(e.chunk))[1], (array_agg(e.attempt))[1], sum(e.succeeded), sum(e.credits),
      sum(e.failed), sum(e.cancelled), sum(e.busy_ms), sum(e.timed), NULL, NULL, NULL)::engine.run_end
    FROM unnest(p_ends) e GROUP BY e.account_id, e.run_no ORDER BY e.run_no);
  -- The runs first: who takes a chunk holds its run, and the next statements see that chunk.
  SELECT bool_or(r.succeeded + e.succeeded >= engine.budget_at(
    r.budget, r.max_credits, r.price, r.total, r.succeeded + e.succeeded, r.used + e.credits)) INTO v_is_budget_used
  FROM unnest(v_ends) e CROSS JOIN LATERAL (
    SELECT n.succeeded, n.used, n.budget, n.max_credits, n.price, n.total FROM gleaner.runs n
    WHERE n.no BETWEEN e.run_no AND e.run_no ORDER BY n.no DESC LIMIT 1 FOR NO KEY UPDATE) r;
  IF v_is_budget_used THEN v_ends := engine.end_budgets(v_ends); END IF;
  WITH counted AS MATERIALIZED (
    SELECT e.*, r.at, r.id, CASE WHEN r.state <> 'cancelled' THEN r.root_no END AS root_no, r.reserved, r.next_chunk, l.left_over,
      engine.budget_at(r.budget, r.max_credits, r.price, r.total, r.succeeded + e.succeeded, r.used + e.credits) AS budget,
      engine.reservation_of(r.budget, r.max_credits, r.price, r.used + e.credits, l.left_over) AS keep,
      -- What has a root ends with it, see engine.on_settled, but who cancels a root ends each of its stages.
      l.left_over = 0 AND (r.root_no IS NULL OR r.state = 'cancelled') AS has_ended
    FROM unnest(v_ends) e
    CROSS JOIN LATERAL (
      SELECT n.ctid AS at, n.id, n.state, n.root_no, n.price, n.reserved, n.used, n.next_chunk, n.total, n.succeeded, n.failed,
        n.cancelled, n.budget, n.max_credits
      FROM gleaner.runs n WHERE n.no BETWEEN e.run_no AND e.run_no ORDER BY n.no DESC LIMIT 1
    ) r
    CROSS JOIN LATERAL (
      SELECT r.total - r.succeeded - r.failed - r.cancelled - e.succeeded - e.failed - e.cancelled AS left_over
    ) l
  ), updated AS (
    UPDATE gleaner.runs r SET
      succeeded = r.succeeded + c.succeeded, failed = r.failed + c.failed, cancelled = r.cancelled + c.cancelled,
      reserved = c.keep, used = r.used + c.credits, budget = c.budget,
      task_ms = CASE WHEN c.timed > 0 IS NOT TRUE OR c.busy_ms IS NULL THEN r.task_ms
        ELSE coalesce(r.task_ms * 0.6, 0) + c.busy_ms / c.timed * CASE WHEN r.task_ms IS NULL THEN 1 ELSE 0.4 END END,
      -- Tasks that a budget cancelled are never cut into chunks, also when a retry opens the run again.
      carved = CASE WHEN c.left_over > 0 THEN r.carved ELSE r.total END,
      held = CASE WHEN c.left_over > 0 THEN greatest(r.held - c.succeeded - c.failed - c.cancelled, 0) ELSE 0 END,
      state = CASE WHEN NOT c.has_ended OR r.state = 'cancelled' THEN r.state WHEN r.succeeded + c.succeeded > 0 THEN 'succeeded'
        WHEN r.cancelled + c.cancelled > 0 THEN 'cancelled' ELSE 'failed' END,
      finished_at = CASE WHEN c.has_ended THEN clock_timestamp() END
    FROM counted c WHERE r.ctid = c.at
  )
  SELECT
    array_agg(ROW(c.account_id, c.credits, c.reserved - c.credits - c.keep, c.id, c.chunk, c.attempt,
      c.succeeded + c.failed + c.cancelled)::engine.settlement),
    -- A run of one chunk that was never given back has one entry of each kind.
    array_agg(ROW(c.run_no, c.id, c.root_no, c.has_ended, c.next_chunk > 1 OR c.attempt > 1 OR c.chunk < 0, c.cancelled > 0)
      ::engine.settled_run)
      -- A chunk of a crawl ends before its pages count.
      FILTER (WHERE c.has_ended OR (c.root_no IS NOT NULL AND c.succeeded + c.failed + c.cancelled > 0))
  INTO v_settlements, v_settled FROM counted c;
  PERFORM engine.settle_credits(v_settlements);
  PERFORM engine.count_runs(v_ends, p_ends);
  IF v_settled IS NULL THEN RETURN; END IF;
  FOREACH v_run IN ARRAY v_settled LOOP
    CONTINUE WHEN NOT v_run.has_ended;
    IF v_run.has_entries THEN PERFORM engine.fold_entries(v_run.id); END IF;
    PERFORM engine.emit_run_event(v_run.run_no);
  END LOOP;
  PERFORM engine.on_settled(v_settled);
END
$$;

-- Cancels a run in one step: removes its chunks (so late results are refused), charges what was flushed, releases the
-- rest of the reservation and hands its slots on; of a workflow run, all stages. outcome: cancelled | finished | absent.
-- There is always a row; its delivery may be null. The first delivery of a cancelled run is the notice to its workers.
CREATE FUNCTION engine.cancel_run(p_account text, p_id text) RETURNS TABLE (outcome text, delivery engine.delivery)
LANGUAGE plpgsql AS $$
DECLARE
  v_owner constant bigint := engine.owner_of(p_account, p_id);
  v_run gleaner.runs;
  v_gone record;
  v_left integer;
  v_ends engine.run_end[];
BEGIN
  IF v_owner IS NOT NULL THEN
    RETURN QUERY SELECT * FROM engine.cancel_workflow_run(p_account, v_owner);
    RETURN;
  END IF;
  PERFORM engine.lock_accounts(ARRAY[p_account], 0);
  SELECT * INTO v_run FROM gleaner.runs r WHERE r.id = p_id AND r.account_id = p_account;
  IF NOT FOUND THEN
    outcome := 'absent'; RETURN NEXT; RETURN;
  END IF;
  IF v_run.state NOT IN ('pending', 'running') THEN
    outcome := 'finished'; RETURN NEXT; RETURN;
  END IF;
  -- In the order of writes, which count their rows in the run: the chunks, then the run. Who takes a chunk holds the run, and the
  -- statement after sees that chunk.
  PERFORM 1 FROM gleaner.chunks c WHERE c.run_no = v_run.no ORDER BY c.chunk FOR UPDATE;
  SELECT * INTO STRICT v_run FROM gleaner.runs r WHERE r.no = v_run.no FOR NO KEY UPDATE;
  v_ends := ARRAY(SELECT g FROM engine.remove_chunks(v_run.no) g WHERE g.succeeded + g.failed > 0);
  SELECT coalesce(sum(e.succeeded), 0)::int AS succeeded, coalesce(sum(e.failed), 0)::int AS failed INTO v_gone FROM unnest(v_ends) e;
  UPDATE gleaner.runs r SET state = 'cancelled', next_chunk = r.next_chunk + 1 WHERE r.no = v_run.no;
  v_left := greatest(v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled - v_gone.succeeded, 0);
  -- Cancelling always works, also when the chunks of the run have done more than it may count.
  PERFORM engine.settle_runs(ROW(p_account, v_run.no, -1, v_run.next_chunk, 0, 0, least(v_left - v_gone.failed, 0),
    greatest(v_left - v_gone.failed, 0), NULL, NULL, NULL, NULL, NULL)::engine.run_end || v_ends);
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

-- Why a task failed, without URLs, hosts and numbers (except a status), which differ between inputs.
CREATE FUNCTION engine.failure_reason(p_detail text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(regexp_replace(regexp_replace(left(p_detail, 200),
    '[a-z][a-z0-9+.-]*://[^[:space:]"]+', '…', 'gi'),
    '([a-z0-9_-]+[.])+[a-z][a-z0-9-]+', '…', 'gi'),
    '(?<!status |[0-9])[0-9]+', '#', 'g')
$$;

-- The name of a cause of failures: of the same error for the same reason.
CREATE FUNCTION engine.cause_name(p_code text, p_reason text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT p_code || ':' || left(md5(coalesce(p_reason, '')), 12) $$;

-- The first p_most tasks of a run that a retry may run again, in the order of inputs.
CREATE FUNCTION engine.retryable_tasks(p_run gleaner.runs, p_cancelled boolean, p_cause text, p_most integer) RETURNS integer[]
LANGUAGE sql STABLE AS $$
  -- Failed tasks of live chunks stay as they are: their chunk counts them, or did so before it was taken back.
  WITH held AS MATERIALIZED (
    SELECT unnest(coalesce(c.seqs, ARRAY(SELECT generate_series(c.from_seq, c.to_seq - 1)))) AS seq
    FROM gleaner.chunks c WHERE c.run_no = p_run.no
  )
  SELECT array_agg(f.seq ORDER BY f.seq) FROM (
    SELECT open.seq FROM (
      SELECT t.seq FROM gleaner.results t
      WHERE t.run_no = p_run.no AND NOT t.ok AND t.seq NOT IN (SELECT h.seq FROM held h)
        AND (p_cause IS NULL OR p_cause IN (t.error ->> 'code', engine.cause_name(
          t.error ->> 'code', engine.failure_reason(t.error ->> 'detail'))))
      UNION ALL
      -- Only cancelled tasks of an ended run have no outcome.
      SELECT g.seq FROM generate_series(0, p_run.total - 1) g (seq) LEFT JOIN LATERAL (
        SELECT true AS is_known FROM gleaner.results n WHERE n.run_no = p_run.no AND n.seq = g.seq LIMIT 1
      ) o ON true
      WHERE p_cancelled AND p_run.cancelled > 0 AND p_run.state NOT IN ('pending', 'running') AND o.is_known IS NULL
    ) open ORDER BY open.seq LIMIT p_most
  ) f
$$;

-- Makes chunks that wait, of tasks that have ended. p_required: by how much the run's reservation grows. The caller holds the
-- locks of the account and the run, and found the credits.
CREATE FUNCTION engine.run_again(p_run gleaner.runs, p_seqs integer[], p_required bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_count constant integer := cardinality(p_seqs);
  v_had_failed integer;
  v_chunks integer;
BEGIN
  DELETE FROM gleaner.results t WHERE t.run_no = p_run.no AND t.seq = ANY (p_seqs) AND NOT t.ok;
  GET DIAGNOSTICS v_had_failed = ROW_COUNT;
  INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, from_seq, to_seq, seqs, remaining)
  SELECT p_run.no, p_run.next_chunk + g.part, p_run.account_id, p_run.queue, 'pending', min(g.seq), max(g.seq) + 1,
    array_agg(g.seq ORDER BY g.seq), count(*)
  FROM (
    SELECT f.seq, ((f.ordinal - 1) / 100)::int AS part FROM unnest(p_seqs) WITH ORDINALITY f (seq, ordinal)
  ) g GROUP BY g.part;
  GET DIAGNOSTICS v_chunks = ROW_COUNT;
  UPDATE gleaner.runs r SET state = 'running', failed = r.failed - v_had_failed,
    cancelled = r.cancelled - (v_count - v_had_failed), finished_at = NULL, reserved = r.reserved + p_required,
    next_chunk = r.next_chunk + v_chunks, held = r.held + v_count
  WHERE r.no = p_run.no;
  UPDATE gleaner.accounts a SET reserved = a.reserved + p_required, unfinished = a.unfinished + v_count
  WHERE a.id = p_run.account_id;
  IF p_required > 0 THEN
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, slice)
    VALUES (p_run.account_id, 'reserve', p_required, p_run.id, p_run.next_chunk);
  END IF;
END
$$;

-- Runs failed tasks of a run again, in the order of inputs; with p_cancelled also the cancelled tasks of an ended run,
-- and with p_cause only those that failed by this error or cause.
-- The budget limits how many: unfinished tasks may use up a part of it. outcome: retried | nothing | absent | expired |
-- credits (required, available) | pending (unfinished, pending_limit) | spent or held (budget, succeeded): the budget
-- is used up, or unfinished tasks may use up the rest of it. There is always a row; its delivery may be null.
CREATE FUNCTION engine.retry_run(
  p_account text, p_id text, p_cancelled boolean DEFAULT false, p_cause text DEFAULT NULL
) RETURNS TABLE (
  outcome text, required bigint, available bigint, unfinished bigint, pending_limit bigint, budget integer,
  succeeded integer, delivery engine.delivery
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_owner constant bigint := engine.owner_of(p_account, p_id);
  v_run gleaner.runs;
  v_account gleaner.accounts;
  v_seqs integer[];
  v_left integer;
  v_succeeded integer;
  v_room integer;
BEGIN
  IF v_owner IS NOT NULL THEN
    RETURN QUERY SELECT w.outcome, w.required, w.available, w.unfinished, w.pending_limit, NULL::integer, NULL::integer, w.delivery
      FROM gleaner.runs r CROSS JOIN LATERAL engine.retry_workflow_run(p_account, r.id, p_cause) w WHERE r.no = v_owner;
    RETURN;
  END IF;
  SELECT * INTO STRICT v_account FROM gleaner.accounts a WHERE a.latest_of = p_account
  ORDER BY a.generation DESC LIMIT 1 FOR NO KEY UPDATE;
  SELECT * INTO v_run FROM gleaner.runs r WHERE r.id = p_id AND r.account_id = p_account FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'absent'; RETURN NEXT; RETURN;
  END IF;
  IF v_run.created_at < now() - interval '24 hours' OR v_run.expires_at <= now() THEN
    outcome := 'expired'; RETURN NEXT; RETURN;
  END IF;
  SELECT v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled - coalesce(sum(c.succeeded + c.failed), 0),
    v_run.succeeded + coalesce(sum(c.succeeded), 0)
  INTO v_left, v_succeeded FROM gleaner.chunks c WHERE c.run_no = v_run.no;
  v_room := v_run.budget - v_succeeded - v_left;
  v_seqs := engine.retryable_tasks(v_run, p_cancelled, p_cause, greatest(v_room, 1));
  IF v_seqs IS NULL THEN
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
  IF unfinished + cardinality(v_seqs) > pending_limit THEN
    outcome := 'pending'; RETURN NEXT; RETURN;
  END IF;
  required := engine.reservation_of(v_run.budget, v_run.max_credits, v_run.price, v_run.used,
    v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled + cardinality(v_seqs)) - v_run.reserved;
  available := v_account.balance - v_account.reserved;
  IF available < required THEN
    outcome := 'credits'; RETURN NEXT; RETURN;
  END IF;
  PERFORM engine.run_again(v_run, v_seqs, required);
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
    r.reserved - c.credits, r.used + c.credits, c.waiting
  FROM gleaner.runs r CROSS JOIN LATERAL (
    SELECT least(coalesce(sum(c.succeeded), 0), r.budget - r.succeeded)::int AS succeeded,
      least(coalesce(sum(c.succeeded::bigint * r.price - c.saved), 0),
        coalesce(r.max_credits, r.budget::bigint * r.price) - r.used)::bigint AS credits,
      coalesce(sum(c.failed), 0)::int AS failed,
      coalesce(sum(least(c.slots, c.remaining))
        FILTER (WHERE c.state = 'running' AND c.lease_until > clock_timestamp()), 0)::int AS running,
      coalesce(sum(c.waiting_for_sink)
        FILTER (WHERE c.state = 'running' AND c.lease_until > clock_timestamp()), 0)::int AS waiting
    FROM gleaner.chunks c WHERE c.run_no = r.no
  ) c WHERE r.no = p_no
$$;
