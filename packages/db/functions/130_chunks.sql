-- Chunks: what a worker writes of those that it runs. It writes those of all accounts in groups, one statement each.

-- One write of a worker about a chunk that it runs.
CREATE TYPE engine.chunk_write AS (
  -- The chunk, and the fence.
  run_no bigint, chunk integer, attempt integer, token text,
  account_id text,
  -- Whether it ends the worker's hold; else it renews the lease.
  is_end boolean,
  -- Whether it changes slots, the run or waiting chunks, for which the account is locked. An end does.
  is_locking boolean,
  -- The slots that it keeps; null: all.
  slots integer,
  -- Outcomes. The answers of the successes travel beside; errors and phases (by seq) are those of results.
  succeeded integer[], failed integer[], errors jsonb, phases jsonb,
  -- Tasks that did not begin.
  unstarted integer[],
  -- Failed tasks to try again: see engine.give_back.
  retries jsonb,
  -- How long the tasks took in all; milliseconds.
  busy_ms real,
  -- Outcomes that the worker holds because the sink's database is away. Tasks given back meanwhile wait as well.
  waiting integer,
  -- For engine.note_pages and engine.add_children.
  notes jsonb, root_no bigint, children jsonb
);

-- Writes outcomes of one attempt of a chunk and returns their counts. Answers come one per line; null in database mode. An
-- outcome that is there already was written by the same statement, whose answer was lost: it is counted already.
CREATE FUNCTION engine.write_results(p_write engine.chunk_write, p_attempts integer, p_answers text)
RETURNS TABLE (succeeded integer, failed integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_price integer;
BEGIN
  succeeded := 0;
  failed := 0;
  IF cardinality(p_write.succeeded) > 0 THEN
    SELECT price INTO v_price FROM gleaner.runs WHERE no = p_write.run_no;
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer, phases)
    SELECT p_write.run_no, o.seq, v_price, p_attempts, true, o.answer, p_write.phases -> o.seq::text
    FROM unnest(p_write.succeeded, string_to_array(p_answers, E'\n')) o (seq, answer) ORDER BY o.seq
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS succeeded = ROW_COUNT;
  END IF;
  IF cardinality(p_write.failed) > 0 THEN
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, error, phases)
    SELECT p_write.run_no, o.seq, 0, p_attempts, false, p_write.errors -> (o.place - 1)::int, p_write.phases -> o.seq::text
    FROM unnest(p_write.failed) WITH ORDINALITY o (seq, place) ORDER BY o.seq
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS failed = ROW_COUNT;
  END IF;
  RETURN NEXT;
END
$$;

-- Writes rows of a managed table. p_statement takes one array with an array literal for each of p_width columns;
-- p_columns has p_width elements for each part of the rows. Does nothing when p_statement is null.
CREATE FUNCTION engine.write_rows(p_statement text, p_columns text[], p_width integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_statement IS NULL THEN RETURN; END IF;
  FOR v_first IN 1..cardinality(p_columns) BY p_width LOOP
    EXECUTE p_statement USING p_columns[v_first : v_first + p_width - 1];
  END LOOP;
END
$$;

-- Notes how many outcomes of a chunk wait for the database of its run's sink. While any wait, the run begins no further
-- chunk. The caller holds the chunk's lock.
CREATE FUNCTION engine.note_sink_wait(p_chunk gleaner.chunks, p_waiting integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF (p_waiting > 0) = (p_chunk.waiting_for_sink > 0) THEN RETURN; END IF;
  UPDATE gleaner.runs r SET waits_for_sink = p_waiting > 0
  WHERE r.no = p_chunk.run_no AND r.waits_for_sink <> (p_waiting > 0);
END
$$;

-- Makes chunks that wait, of tasks of a run that others had: p_groups is [{seqs, delayMs, attempts}]. Returns how many
-- tasks they hold. The caller holds the account's lock.
CREATE FUNCTION engine.give_back(p_chunk gleaner.chunks, p_groups jsonb) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_first integer;
  v_tasks integer;
BEGIN
  SELECT r.next_chunk INTO STRICT v_first FROM gleaner.runs r WHERE r.no = p_chunk.run_no FOR NO KEY UPDATE;
  WITH made AS (
    INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, tries, from_seq, to_seq, seqs, remaining,
      not_before)
    SELECT p_chunk.run_no, v_first + g.place - 1, p_chunk.account_id, p_chunk.queue, 'pending',
      p_chunk.tries + coalesce((g.item ->> 'attempts')::int, 0), min(s.seq), max(s.seq) + 1,
      array_agg(s.seq ORDER BY s.seq), count(*),
      clock_timestamp() + coalesce((g.item ->> 'delayMs')::float8, 0) * interval '1 ms'
    FROM jsonb_array_elements(p_groups) WITH ORDINALITY g (item, place)
    CROSS JOIN LATERAL (SELECT e::int AS seq FROM jsonb_array_elements_text(g.item -> 'seqs') e) s
    GROUP BY g.place, g.item
    RETURNING remaining
  ), counted AS (SELECT count(*) AS chunks, coalesce(sum(m.remaining), 0) AS tasks FROM made m)
  UPDATE gleaner.runs r SET next_chunk = r.next_chunk + c.chunks FROM counted c WHERE r.no = p_chunk.run_no
  RETURNING c.tasks INTO v_tasks;
  RETURN v_tasks;
END
$$;

-- Writes what a worker has of one chunk: keeps outcomes and renews the lease, or ends its hold. outcome: done | late (the
-- lease had run out, so other work may own its slots: the outcomes are kept, nothing is renewed or given back) | lost (the
-- chunk was taken back, given to another worker or cancelled: nothing is written). The caller holds the account's lock
-- when the write gives back tasks or slots. succeeded and failed: what the end of the chunk adds to its run.
CREATE FUNCTION engine.write_chunk(
  p_write engine.chunk_write, p_worker text, p_answers text, p_lease_ms integer,
  OUT outcome text, OUT succeeded integer, OUT failed integer
)
LANGUAGE plpgsql AS $$
DECLARE
  v_chunk gleaner.chunks;
  v_new record;
  v_present integer[];
  v_returned integer[] := p_write.unstarted;
  v_left integer := 0;
BEGIN
  SELECT * INTO v_chunk FROM gleaner.chunks c WHERE c.run_no = p_write.run_no AND c.chunk = p_write.chunk FOR NO KEY UPDATE;
  -- The fence. A crash that loses a take, or a failover, can give one attempt twice, so it compares the token of the take.
  IF NOT FOUND OR v_chunk.attempt <> p_write.attempt OR v_chunk.state <> 'running' OR v_chunk.worker_id <> p_worker
    OR v_chunk.token <> p_write.token::bigint
  THEN
    outcome := 'lost';
    RETURN;
  END IF;
  outcome := CASE WHEN v_chunk.lease_until <= clock_timestamp() THEN 'late' ELSE 'done' END;
  IF p_write.notes IS NOT NULL THEN PERFORM engine.note_pages(v_chunk.account_id, p_write.run_no, p_write.notes); END IF;
  -- stages hook
  IF p_write.children IS NOT NULL THEN
    PERFORM engine.add_children(p_write.root_no, p_write.run_no, p_write.children);
  END IF;
  SELECT * INTO v_new FROM engine.write_results(p_write, v_chunk.tries + 1, p_answers);
  PERFORM engine.note_sink_wait(v_chunk, p_write.waiting);
  succeeded := v_chunk.succeeded + v_new.succeeded;
  failed := v_chunk.failed + v_new.failed;
  IF p_write.retries IS NOT NULL THEN v_left := engine.give_back(v_chunk, p_write.retries); END IF;
  IF p_write.is_end THEN
    v_left := v_left + coalesce(cardinality(v_returned), 0);
    IF v_chunk.remaining <> v_new.succeeded + v_new.failed + v_left THEN
      RAISE EXCEPTION 'chunk % of run % has % tasks left, but % ended, and % are given back', p_write.chunk,
        p_write.run_no, v_chunk.remaining, v_new.succeeded + v_new.failed, v_left;
    END IF;
    IF cardinality(v_returned) > 0 THEN
      UPDATE gleaner.chunks c SET state = 'pending', slots = 0, succeeded = 0, failed = 0, lease_until = NULL,
        worker_id = NULL, waiting_for_sink = 0, remaining = cardinality(v_returned), seqs = v_returned, deaths = 0,
        starts = 0, not_before = clock_timestamp()
      WHERE c.run_no = p_write.run_no AND c.chunk = p_write.chunk;
    ELSE
      DELETE FROM gleaner.chunks c WHERE c.run_no = p_write.run_no AND c.chunk = p_write.chunk;
    END IF;
    RETURN;
  END IF;
  IF outcome = 'done' AND cardinality(v_returned) > 0 THEN
    -- A write that is repeated finds them gone.
    v_present := coalesce(v_chunk.seqs, ARRAY(SELECT generate_series(v_chunk.from_seq, v_chunk.to_seq - 1)));
    v_returned := ARRAY(SELECT unnest(v_returned) INTERSECT SELECT unnest(v_present));
    IF cardinality(v_returned) > 0 THEN
      v_left := engine.give_back(v_chunk, jsonb_build_array(jsonb_build_object('seqs', v_returned,
        'delayMs', CASE WHEN p_write.waiting > 0 THEN 10000 ELSE 0 END)));
      v_chunk.seqs := ARRAY(SELECT unnest(v_present) EXCEPT SELECT unnest(v_returned) ORDER BY 1);
    END IF;
  END IF;
  UPDATE gleaner.chunks c SET
    lease_until = CASE outcome WHEN 'late' THEN c.lease_until ELSE clock_timestamp() + p_lease_ms * interval '1 ms' END,
    slots = CASE outcome WHEN 'late' THEN c.slots ELSE least(c.slots, coalesce(p_write.slots, c.slots)) END,
    succeeded = write_chunk.succeeded, failed = write_chunk.failed, waiting_for_sink = p_write.waiting,
    seqs = v_chunk.seqs, remaining = v_chunk.remaining - v_new.succeeded - v_new.failed - v_left
  WHERE c.run_no = p_write.run_no AND c.chunk = p_write.chunk;
END
$$;

-- Writes a group: each chunk as engine.write_chunk does, then what ended in each run: charge, counters, the end of the
-- run. p_answers has one element for each write. A write whose account somebody else holds is `busy` and left, with
-- p_lock_ms null; else the statement waits so long and fails with lock_not_available. The p_rows parameters are those of
-- engine.write_rows, and go with a single write: rows are written first, before any lock, and an error undoes them when the
-- chunk is lost. Rows with a null place carry deliveries.
CREATE FUNCTION engine.write_chunks(
  p_worker text, p_writes jsonb, p_answers text[], p_lease_ms integer, p_lock_ms integer,
  p_rows_statement text DEFAULT NULL, p_rows_columns text[] DEFAULT NULL, p_rows_width integer DEFAULT NULL
) RETURNS TABLE (place integer, outcome text, delivery engine.delivery)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  v_accounts constant text[] := ARRAY(
    SELECT DISTINCT e ->> 'account_id' FROM jsonb_array_elements(p_writes) e WHERE (e ->> 'is_locking')::boolean);
  v_locked text[] := '{}';
  v_item record;
  v_write engine.chunk_write;
  v_done record;
  v_end record;
  v_runs bigint[] := '{}';
  v_chunks integer[] := '{}';
  v_attempts integer[] := '{}';
  v_succeeded integer[] := '{}';
  v_failed integer[] := '{}';
  v_busy_ms real[] := '{}';
BEGIN
  PERFORM engine.write_rows(p_rows_statement, p_rows_columns, p_rows_width);
  IF cardinality(v_accounts) > 0 THEN
    v_locked := engine.lock_accounts(v_accounts, p_lock_ms);
  ELSE
    -- Outcomes that a crash of Postgres loses are fetched again.
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  -- In one order, because writes that lock no account still lock their chunks.
  FOR v_item IN
    SELECT e.item, e.place FROM jsonb_array_elements(p_writes) WITH ORDINALITY e (item, place)
    ORDER BY (e.item ->> 'run_no')::bigint, (e.item ->> 'chunk')::integer
  LOOP
    place := v_item.place;
    v_write := jsonb_populate_record(NULL::engine.chunk_write, v_item.item);
    IF v_write.is_locking AND v_write.account_id <> ALL (v_locked) THEN
      outcome := 'busy';
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO v_done FROM engine.write_chunk(v_write, p_worker, p_answers[place], p_lease_ms);
    outcome := v_done.outcome;
    IF outcome = 'lost' AND p_rows_statement IS NOT NULL THEN
      RAISE EXCEPTION 'chunk lost' USING ERRCODE = 'GL001';
    END IF;
    RETURN NEXT;
    IF v_write.is_end AND outcome <> 'lost' THEN
      v_runs := v_runs || v_write.run_no;
      v_chunks := v_chunks || v_write.chunk;
      v_attempts := v_attempts || v_write.attempt;
      v_succeeded := v_succeeded || v_done.succeeded;
      v_failed := v_failed || v_done.failed;
      v_busy_ms := v_busy_ms || v_write.busy_ms;
    END IF;
  END LOOP;
  -- The first chunk names the entry of the ledger: each chunk ends once.
  FOR v_end IN
    SELECT r.account_id, e.run_no, (array_agg(e.chunk))[1] AS chunk, (array_agg(e.attempt))[1] AS attempt,
      sum(e.succeeded)::int AS succeeded, sum(e.failed)::int AS failed, sum(e.busy_ms) AS busy_ms
    FROM unnest(v_runs, v_chunks, v_attempts, v_succeeded, v_failed, v_busy_ms)
      e (run_no, chunk, attempt, succeeded, failed, busy_ms)
    JOIN gleaner.runs r ON r.no = e.run_no GROUP BY r.account_id, e.run_no ORDER BY r.account_id, e.run_no
  LOOP
    PERFORM engine.settle_run(
      p_account => v_end.account_id, p_run_no => v_end.run_no, p_chunk => v_end.chunk, p_attempt => v_end.attempt,
      p_succeeded => v_end.succeeded, p_failed => v_end.failed, p_busy_ms => v_end.busy_ms);
  END LOOP;
  place := NULL;
  outcome := NULL;
  FOR delivery IN SELECT d.* FROM unnest(v_locked) l (account) CROSS JOIN LATERAL engine.admit(l.account) d LOOP
    RETURN NEXT;
  END LOOP;
END
$$;
