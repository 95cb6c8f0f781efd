-- Chunks: cut off and admitted, started, flushed, finished. Each is one round trip.

-- How many slots one chunk takes, at most.
CREATE FUNCTION engine.chunk_slots(p_queue text) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE p_queue WHEN 'batch-browser' THEN 2 ELSE 8 END $$;

-- How many tasks make one and a half to three seconds of work for so many slots, or three slow tasks for each slot if
-- they take at most four seconds. Each slot has the same number, so that they end together. Chunks are short until the
-- run's pace is known.
CREATE FUNCTION engine.chunk_size(p_queue text, p_slots integer, p_task_ms real) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_queue = 'batch-browser' THEN
      least(greatest(ceil(3000 * p_slots / greatest(coalesce(p_task_ms, 3000), 1)), p_slots), 20)
    WHEN p_task_ms IS NULL THEN p_slots * 4
    ELSE least(p_slots * greatest(
      ceil(1500 / greatest(p_task_ms, 0.1)), least(3, floor(4000 / greatest(p_task_ms, 0.1)))), 1000)
  END::int
$$;

-- The level L at which accounts that could use p_limits slots get p_slots in all: the sum of least(limit, L). Each gets
-- its limit, but at most L, which is the max-min fair share. Null when every account can get its whole limit.
CREATE FUNCTION engine.fair_level(p_limits integer[], p_slots bigint) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(floor((p_slots - s.below) / s.sharing), 1)::int FROM (
    SELECT l.slots, count(*) OVER () - row_number() OVER w + 1 AS sharing,
      coalesce(sum(l.slots) OVER (ORDER BY l.slots, l.ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS below
    FROM unnest(p_limits) WITH ORDINALITY l (slots, ordinal) WINDOW w AS (ORDER BY l.slots, l.ordinal)
  ) s WHERE s.below + s.slots * s.sharing > p_slots ORDER BY s.below LIMIT 1
$$;

-- Sets the most slots of each queue that one account's chunks may hold. All accounts together then hold a quarter more
-- than the number of tasks that live workers run at once. Workers take all of that from the queue and give their slots
-- to low ranks first, so a chunk of an account with few slots never waits behind others' in the queue. Accounts with
-- chunks share the slots. Levels stay unchanged while no worker reports its capacity.
CREATE FUNCTION engine.set_queue_levels() RETURNS void
LANGUAGE sql AS $$
  WITH capacity AS (
    SELECT q.queue, sum(q.slots) AS slots, bool_or(q.slots IS NULL) AS is_unknown
    FROM gleaner.workers w CROSS JOIN LATERAL (VALUES
      ('batch-http', 'http', w.http_capacity), ('batch-browser', 'browser', w.browser_capacity)
    ) q (queue, engine, slots)
    WHERE w.seen_at > clock_timestamp() - interval '3 s' AND w.refuses IS NULL AND q.engine = ANY (w.engines)
    GROUP BY q.queue
  ), levels AS (
    SELECT c.queue, coalesce(engine.fair_level((
      SELECT array_agg(a.concurrency) FROM gleaner.accounts a WHERE a.id IN (
        SELECT k.account_id FROM gleaner.chunks k
        WHERE k.state <> 'pending' AND k.queue = c.queue AND k.lease_until > clock_timestamp())
    ), c.slots * 5 / 4), 1000000) AS slots
    FROM capacity c WHERE NOT c.is_unknown
  )
  INSERT INTO gleaner.queue_levels AS l (queue, slots) SELECT n.queue, n.slots FROM levels n ORDER BY n.queue
  ON CONFLICT (queue) DO UPDATE SET slots = excluded.slots WHERE l.slots <> excluded.slots
$$;

-- Notes that engine.admit may find work for the account at p_at. This lock comes last: after account, chunk and run.
CREATE FUNCTION engine.mark_account(p_account text, p_at timestamptz) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.due_accounts AS d (account_id, due_at) VALUES (p_account, p_at)
  ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at WHERE d.due_at > excluded.due_at
$$;

-- When the next waiting chunk of the account becomes due, after p_now; null when none waits for a time.
CREATE FUNCTION engine.next_due(p_account text, p_now timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT min(w.not_before) FROM (VALUES ('batch-http'), ('batch-browser')) q (queue) CROSS JOIN LATERAL (
    (SELECT c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = q.queue AND c.state = 'pending' AND c.deaths <= 2
       AND c.not_before > p_now ORDER BY c.not_before LIMIT 1)
    UNION ALL
    (SELECT c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = q.queue AND c.state = 'pending' AND c.deaths > 2
       AND c.not_before > p_now ORDER BY c.not_before LIMIT 1)
  ) w
$$;

CREATE TYPE engine.due_chunk AS (run_no bigint, chunk integer, last_served bigint, run_id text);

-- The due chunk of one queue to admit next: of the run that was served longest ago. It looks at the chunks that have
-- waited longest and at those given back last, so that thousands of chunks of one run, retried at once, do not hide
-- a chunk of another run. p_may_be_lone admits chunks with more than two dead workers.
CREATE FUNCTION engine.next_due_chunk(p_account text, p_queue text, p_now timestamptz, p_may_be_lone boolean)
RETURNS SETOF engine.due_chunk
LANGUAGE sql STABLE AS $$
  SELECT d.run_no, d.chunk, r.last_served, r.id
  FROM (
    (SELECT c.run_no, c.chunk, c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND c.deaths <= 2
       AND c.not_before <= p_now ORDER BY c.not_before LIMIT 32)
    UNION ALL
    (SELECT c.run_no, c.chunk, c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND c.deaths <= 2
       AND c.not_before <= p_now ORDER BY c.not_before DESC LIMIT 32)
    UNION ALL
    (SELECT c.run_no, c.chunk, c.not_before FROM gleaner.chunks c
     WHERE p_may_be_lone AND c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND c.deaths > 2
       AND c.not_before <= p_now ORDER BY c.not_before LIMIT 32)
  ) d JOIN gleaner.runs r ON r.no = d.run_no
  ORDER BY r.last_served, d.not_before, d.chunk LIMIT 1
$$;

-- The open run of one queue that was served longest ago, of those served at p_floor or later.
CREATE FUNCTION engine.next_open_run(p_account text, p_queue text, p_floor bigint) RETURNS SETOF gleaner.runs
LANGUAGE sql STABLE AS $$
  SELECT * FROM gleaner.runs r
  WHERE r.account_id = p_account AND r.queue = p_queue AND r.is_open AND r.last_served >= p_floor
  ORDER BY r.last_served LIMIT 1
$$;

-- Gives slots to chunks. The run that was served longest ago is next; within a run, chunks that were given back come
-- before tasks that are in no chunk yet. The caller holds the account's lock.
-- An account's chunks hold as many slots of a queue as the workers' capacity allows (gleaner.queue_levels).
-- Chunks that wait for a browser hold a quarter of the account's concurrency at most: browsers are few and slow, and
-- work without a browser must go on meanwhile.
-- Only one chunk with more than two dead workers is under way at a time, so that the next death identifies the culprit.
-- When slots stay free, the account is marked for the time at which its next chunk becomes due.
-- Scans of runs and chunks begin at the account's floors, so that they read few entries of work that has ended. Floors rise
-- at most once a second, and stay 2 s behind the clock: a transaction that is not seen yet may open a run.
CREATE FUNCTION engine.admit_chunks(p_account text, p_free integer) RETURNS SETOF engine.delivery
LANGUAGE plpgsql SET enable_bitmapscan = off AS $$
DECLARE
  v_free integer := p_free;
  v_now timestamptz := clock_timestamp();
  v_account gleaner.accounts;
  v_position integer;
  v_live integer;
  v_least integer;
  v_http_held integer;
  v_browser_held integer;
  v_run gleaner.runs;
  v_due engine.due_chunk;
  v_chunk gleaner.chunks;
  v_slots integer;
  v_left integer;
  v_size integer;
  v_has_lone boolean;
  v_has_due boolean;
  v_http_room integer;
  v_browser_room integer;
  v_room integer;
  v_next timestamptz;
  v_highest constant bigint := engine.microseconds_now() - 2000000;
  v_http_floor bigint;
  v_browser_floor bigint;
  v_chunk_floor bigint;
  v_second constant bigint := 1000000;
BEGIN
  SELECT * INTO STRICT v_account FROM gleaner.accounts a WHERE a.latest_of = p_account
  ORDER BY a.generation DESC LIMIT 1;
  IF NOT v_account.is_active THEN RETURN; END IF;
  v_http_floor := v_account.http_floor;
  v_browser_floor := v_account.browser_floor;
  SELECT count(*), coalesce(bool_or(c.deaths > 2), false),
    coalesce(sum(c.slots) FILTER (WHERE c.queue = 'batch-http'), 0),
    coalesce(sum(c.slots) FILTER (WHERE c.queue = 'batch-browser'), 0),
    coalesce((SELECT l.slots FROM gleaner.queue_levels l WHERE l.queue = 'batch-http'), 1000000)
      - coalesce(sum(c.slots) FILTER (WHERE c.queue = 'batch-http' AND c.lease_until > v_now), 0),
    least(
      greatest(v_account.concurrency / 4, 2) - coalesce(sum(c.slots)
        FILTER (WHERE c.queue = 'batch-browser' AND c.state = 'admitted' AND c.lease_until > v_now), 0),
      coalesce((SELECT l.slots FROM gleaner.queue_levels l WHERE l.queue = 'batch-browser'), 1000000)
        - coalesce(sum(c.slots) FILTER (WHERE c.queue = 'batch-browser' AND c.lease_until > v_now), 0)),
    least(min(c.seen_at), v_highest)
  INTO v_live, v_has_lone, v_http_held, v_browser_held, v_http_room, v_browser_room, v_chunk_floor
  FROM gleaner.chunks c
  WHERE c.account_id = p_account AND c.state <> 'pending' AND c.seen_at >= v_account.chunk_floor;
  v_has_due := EXISTS (
    SELECT 1 FROM gleaner.chunks c WHERE c.account_id = p_account AND c.state = 'pending' AND c.deaths <= 2
  ) OR EXISTS (
    SELECT 1 FROM gleaner.chunks c WHERE c.account_id = p_account AND c.state = 'pending' AND c.deaths > 2);
  v_next := CASE WHEN v_has_due THEN engine.next_due(p_account, v_now) END;
  -- The ends of so many chunks soon free further slots. Without this, chunks would fall apart into ever smaller ones.
  -- At most a sixteenth of the account's slots stay free.
  v_least := least(1 + v_live / 4, 1 + v_http_held / 16, engine.chunk_slots('batch-http'));
  IF v_http_room < v_least THEN v_http_room := 0; END IF;
  WHILE v_free >= v_least LOOP
    SELECT * INTO v_run FROM (
      SELECT * FROM engine.next_open_run(p_account, 'batch-http', v_http_floor) WHERE v_http_room > 0
      UNION ALL
      SELECT * FROM engine.next_open_run(p_account, 'batch-browser', v_browser_floor) WHERE v_browser_room > 0
    ) o ORDER BY o.last_served LIMIT 1;
    IF v_http_room > 0 THEN v_http_floor := greatest(v_http_floor, least(v_run.last_served, v_highest)); END IF;
    IF v_browser_room > 0 THEN v_browser_floor := greatest(v_browser_floor, least(v_run.last_served, v_highest)); END IF;
    IF v_has_due THEN
      SELECT * INTO v_due FROM (
        SELECT * FROM engine.next_due_chunk(p_account, 'batch-http', v_now, NOT v_has_lone) WHERE v_http_room > 0
        UNION ALL
        SELECT * FROM engine.next_due_chunk(p_account, 'batch-browser', v_now, NOT v_has_lone) WHERE v_browser_room > 0
      ) d ORDER BY d.last_served LIMIT 1;
    END IF;
    EXIT WHEN v_run.no IS NULL AND v_due.run_no IS NULL;
    IF v_due.run_no IS NOT NULL AND (v_run.no IS NULL OR v_due.last_served <= v_run.last_served) THEN
      UPDATE gleaner.chunks c SET state = 'admitted', attempt = c.attempt + 1, deliveries = 0, delivered_at = v_now,
        slots = least(v_free, CASE c.queue WHEN 'batch-browser' THEN v_browser_room ELSE v_http_room END,
          engine.chunk_slots(c.queue), c.remaining),
        lease_until = v_now + interval '1 hour', worker_id = NULL
      WHERE c.run_no = v_due.run_no AND c.chunk = v_due.chunk
      RETURNING * INTO STRICT v_chunk;
      UPDATE gleaner.runs r SET last_served = engine.microseconds_now() WHERE r.no = v_due.run_no;
      v_run.id := v_due.run_id;
      v_has_lone := v_has_lone OR v_chunk.deaths > 2;
    ELSE
      -- Never more under way than may still be charged.
      v_left := least(v_run.total - v_run.carved, v_run.budget - v_run.succeeded - v_run.held);
      v_room := least(v_free, CASE v_run.queue WHEN 'batch-browser' THEN v_browser_room ELSE v_http_room END);
      v_slots := least(v_room, engine.chunk_slots(v_run.queue));
      -- The rest of a small run is spread over all free slots.
      v_size := least(engine.chunk_size(v_run.queue, v_slots, v_run.task_ms),
        ceil(v_left::numeric / ceil(v_room::numeric / engine.chunk_slots(v_run.queue)))::int);
      INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, attempt, slots, from_seq, to_seq, remaining,
        lease_until, delivered_at)
      VALUES (v_run.no, v_run.next_chunk, p_account, v_run.queue, 'admitted', 1, least(v_slots, v_size), v_run.carved,
        v_run.carved + v_size, v_size, v_now + interval '1 hour', v_now)
      RETURNING * INTO STRICT v_chunk;
      UPDATE gleaner.runs r SET last_served = engine.microseconds_now(), carved = r.carved + v_size,
        held = r.held + v_size, next_chunk = r.next_chunk + 1
      WHERE r.no = v_run.no;
    END IF;
    -- stages hook
    IF (SELECT r.root_no FROM gleaner.runs r WHERE r.no = v_chunk.run_no) IS NOT NULL THEN
      PERFORM engine.share_turn(v_chunk.run_no);
    END IF;
    v_free := v_free - v_chunk.slots;
    v_chunk_floor := least(v_chunk_floor, v_chunk.seen_at);
    -- The queue position counts full chunks, since accounts share slots.
    IF v_chunk.queue = 'batch-browser' THEN
      v_position := v_browser_held / engine.chunk_slots(v_chunk.queue) + 1;
      v_browser_held := v_browser_held + v_chunk.slots;
      v_browser_room := v_browser_room - v_chunk.slots;
    ELSE
      v_position := v_http_held / engine.chunk_slots(v_chunk.queue) + 1;
      v_http_held := v_http_held + v_chunk.slots;
      v_http_room := v_http_room - v_chunk.slots;
      IF v_http_room < v_least THEN v_http_room := 0; END IF;
    END IF;
    RETURN NEXT engine.chunk_delivery(v_chunk, v_run.id, v_position);
  END LOOP;
  -- About every eighth time, because it writes the account's row: an account with few chunks has few entries to skip.
  IF (random() < 0.125 AND (v_http_floor > v_account.http_floor + v_second
      OR v_browser_floor > v_account.browser_floor + v_second OR v_chunk_floor > v_account.chunk_floor + v_second))
    -- Postgres' clock has stepped back.
    OR v_chunk_floor < v_account.chunk_floor
  THEN
    UPDATE gleaner.accounts a SET http_floor = v_http_floor, browser_floor = v_browser_floor, chunk_floor = v_chunk_floor
    WHERE a.latest_of = p_account AND a.generation = v_account.generation;
  END IF;
  -- Who frees the last slot admits again, so a mark is needed only while slots are free.
  IF v_free > 0 AND v_next IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM gleaner.due_accounts d WHERE d.account_id = p_account AND d.due_at <= v_next
  ) THEN
    PERFORM engine.mark_account(p_account, v_next);
  END IF;
END
$$;

-- The fence: only the attempt that was admitted can start. Returns no row for a duplicate delivery or a cancelled run.
-- `seqs` is null when the tasks are from_seq, from_seq + 1, …; `inputs` has one line for each task. A row whose account is
-- null: the run needs a worker of a higher level than p_level, so this one must give the delivery back.
CREATE FUNCTION engine.start_chunk(
  p_run_no bigint, p_chunk integer, p_attempt integer, p_worker text, p_lease_ms integer, p_level integer
)
RETURNS TABLE (account_id text, slots integer, tries integer, from_seq integer, seqs text, inputs text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_chunk gleaner.chunks;
BEGIN
  IF EXISTS (SELECT FROM gleaner.runs r WHERE r.no = p_run_no AND (r.config ->> 'needs')::int > p_level) THEN
    RETURN QUERY SELECT NULL::text, 0, 0, 0, NULL::text, NULL::text;
    RETURN;
  END IF;
  UPDATE gleaner.chunks c SET state = 'running', worker_id = p_worker, starts = c.starts + 1,
    lease_until = clock_timestamp() + p_lease_ms * interval '1 ms'
  WHERE c.run_no = p_run_no AND c.chunk = p_chunk
    -- Within CASE, so that Postgres finds the row by its key. It may take the index of live rows for a tiny one, but
    -- that has the entries of all rows that have ended since the last vacuum.
    AND CASE WHEN c.state = 'admitted' THEN c.attempt = p_attempt AND c.lease_until > clock_timestamp() ELSE false END
  RETURNING * INTO v_chunk;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE gleaner.runs r SET state = 'running', started_at = coalesce(r.started_at, clock_timestamp())
  WHERE r.no = p_run_no AND CASE WHEN r.state = 'pending' THEN true ELSE false END;
  -- It waits for a browser no more, so that another chunk may.
  IF v_chunk.queue = 'batch-browser' THEN PERFORM engine.mark_account(v_chunk.account_id, clock_timestamp()); END IF;
  IF p_attempt = 1 AND v_chunk.seqs IS NULL THEN
    RETURN QUERY SELECT v_chunk.account_id, v_chunk.slots, v_chunk.tries::int, v_chunk.from_seq, NULL::text,
      (SELECT string_agg(t.input, E'\n' ORDER BY t.seq) FROM gleaner.tasks t
       WHERE t.run_no = p_run_no AND t.seq >= v_chunk.from_seq AND t.seq < v_chunk.to_seq);
  ELSE
    RETURN QUERY SELECT v_chunk.account_id, v_chunk.slots, v_chunk.tries::int, v_chunk.from_seq,
      string_agg(t.seq::text, ',' ORDER BY t.seq), string_agg(t.input, E'\n' ORDER BY t.seq)
    FROM gleaner.tasks t
    WHERE t.run_no = p_run_no AND t.seq >= v_chunk.from_seq AND t.seq < v_chunk.to_seq
      AND (v_chunk.seqs IS NULL OR t.seq = ANY (v_chunk.seqs))
      AND NOT EXISTS (SELECT 1 FROM gleaner.results o WHERE o.run_no = p_run_no AND o.seq = t.seq);
  END IF;
END
$$;

-- Writes outcomes and returns their counts. Answers and errors come one per line; p_answers is null in database mode.
CREATE FUNCTION engine.write_results(
  p_run_no bigint, p_attempts integer, p_succeeded_seqs integer[], p_answers text, p_failed_seqs integer[],
  p_errors text, p_phases jsonb
) RETURNS TABLE (succeeded integer, failed integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_price integer;
BEGIN
  succeeded := 0;
  failed := 0;
  IF cardinality(p_succeeded_seqs) > 0 THEN
    SELECT price INTO v_price FROM gleaner.runs WHERE no = p_run_no;
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer, phases)
    SELECT p_run_no, o.seq, v_price, p_attempts, true, o.answer, p_phases -> o.seq::text
    FROM unnest(p_succeeded_seqs, string_to_array(p_answers, E'\n')) o (seq, answer) ORDER BY o.seq;
    GET DIAGNOSTICS succeeded = ROW_COUNT;
  END IF;
  IF cardinality(p_failed_seqs) > 0 THEN
    INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, error, phases)
    SELECT p_run_no, o.seq, 0, p_attempts, false, o.error::jsonb, p_phases -> o.seq::text
    FROM unnest(p_failed_seqs, string_to_array(p_errors, E'\n')) o (seq, error) ORDER BY o.seq;
    GET DIAGNOSTICS failed = ROW_COUNT;
  END IF;
  RETURN NEXT;
END
$$;

-- Locks a chunk that the caller's worker runs, and returns it. Refuses a worker that lost it (taken back, given to another
-- worker or cancelled): the worker's whole statement is undone, rows of sinks included. The state is checked afterwards,
-- for the same reason as in engine.start_chunk. A failover that loses commits can give one attempt to two workers, so the
-- fence compares the worker too.
CREATE FUNCTION engine.lock_chunk(p_run_no bigint, p_chunk integer, p_attempt integer, p_worker text)
RETURNS gleaner.chunks
LANGUAGE plpgsql AS $$
DECLARE
  v_chunk gleaner.chunks;
BEGIN
  SELECT * INTO v_chunk FROM gleaner.chunks c WHERE c.run_no = p_run_no AND c.chunk = p_chunk FOR NO KEY UPDATE;
  IF NOT FOUND OR v_chunk.attempt <> p_attempt OR v_chunk.state <> 'running' OR v_chunk.worker_id <> p_worker THEN
    RAISE EXCEPTION 'chunk lost' USING ERRCODE = 'GL001';
  END IF;
  RETURN v_chunk;
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
  IF p_waiting = 0 THEN PERFORM engine.mark_account(p_chunk.account_id, clock_timestamp()); END IF;
END
$$;

-- Keeps outcomes and renews the lease, in the middle of a chunk. It changes no row that other chunks change.
-- A smaller p_slots gives slots back to the account's next work; with it, p_unstarted_seqs gives back tasks that did
-- not begin, as a separate chunk. p_slots null keeps all slots.
-- A lease that ran out is not renewed, since other work may own its slots by now: is_late is true then. The outcomes
-- are still kept. There is always a row; its delivery may be null.
-- p_waiting is the number of outcomes that the worker holds because the sink's database is away; tasks that are given
-- back meanwhile wait as well. p_root_no and p_children are those of engine.add_children, and the p_rows parameters
-- those of engine.write_rows: rows of the outcomes.
CREATE FUNCTION engine.flush_chunk(
  p_run_no bigint, p_chunk integer, p_attempt integer, p_worker text, p_lease_ms integer, p_slots integer, p_unstarted_seqs integer[],
  p_succeeded_seqs integer[], p_answers text, p_failed_seqs integer[], p_errors text, p_waiting integer DEFAULT 0,
  p_root_no bigint DEFAULT NULL, p_children jsonb DEFAULT NULL,
  p_rows_statement text DEFAULT NULL, p_rows_columns text[] DEFAULT NULL, p_rows_width integer DEFAULT NULL,
  p_notes jsonb DEFAULT NULL, p_phases jsonb DEFAULT NULL
) RETURNS TABLE (is_late boolean, delivery engine.delivery)
LANGUAGE plpgsql AS $$
DECLARE
  v_chunk gleaner.chunks;
  v_new record;
  v_seqs integer[];
BEGIN
  PERFORM engine.write_rows(p_rows_statement, p_rows_columns, p_rows_width);
  -- stages hook
  IF p_children IS NOT NULL THEN PERFORM engine.add_children(p_root_no, p_run_no, p_children); END IF;
  IF p_slots IS NULL THEN
    -- Outcomes that a crash of Postgres loses are fetched again.
    PERFORM set_config('synchronous_commit', 'off', true);
  ELSE
    PERFORM engine.lock_account(c.account_id) FROM gleaner.chunks c WHERE c.run_no = p_run_no AND c.chunk = p_chunk;
  END IF;
  v_chunk := engine.lock_chunk(p_run_no, p_chunk, p_attempt, p_worker);
  IF p_notes IS NOT NULL THEN PERFORM engine.note_pages(v_chunk.account_id, p_run_no, p_notes); END IF;
  is_late := v_chunk.lease_until <= clock_timestamp();
  SELECT * INTO v_new FROM engine.write_results(
    p_run_no => p_run_no, p_attempts => v_chunk.tries + 1, p_succeeded_seqs => p_succeeded_seqs,
    p_answers => p_answers, p_failed_seqs => p_failed_seqs, p_errors => p_errors,
    p_phases => p_phases);
  PERFORM engine.note_sink_wait(v_chunk, p_waiting);
  v_seqs := v_chunk.seqs;
  IF NOT is_late AND cardinality(p_unstarted_seqs) > 0 THEN
    v_seqs := ARRAY(
      SELECT unnest(coalesce(v_seqs, ARRAY(SELECT generate_series(v_chunk.from_seq, v_chunk.to_seq - 1))))
      EXCEPT SELECT unnest(p_unstarted_seqs) ORDER BY 1);
    INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, tries, from_seq, to_seq, seqs, remaining,
      not_before)
    SELECT p_run_no, r.next_chunk, v_chunk.account_id, v_chunk.queue, 'pending', v_chunk.tries, min(l.seq),
      max(l.seq) + 1, array_agg(l.seq ORDER BY l.seq), count(*),
      clock_timestamp() + CASE WHEN p_waiting > 0 THEN interval '10 s' ELSE interval '0' END
    FROM (SELECT next_chunk FROM gleaner.runs WHERE no = p_run_no FOR NO KEY UPDATE) r, unnest(p_unstarted_seqs) l (seq)
    GROUP BY r.next_chunk;
    UPDATE gleaner.runs r SET next_chunk = r.next_chunk + 1 WHERE r.no = p_run_no;
    v_chunk.remaining := v_chunk.remaining - cardinality(p_unstarted_seqs);
  END IF;
  UPDATE gleaner.chunks c SET
    lease_until = CASE WHEN is_late THEN c.lease_until ELSE clock_timestamp() + p_lease_ms * interval '1 ms' END,
    slots = least(c.slots, coalesce(p_slots, c.slots)),
    succeeded = c.succeeded + v_new.succeeded, failed = c.failed + v_new.failed, waiting_for_sink = p_waiting,
    seqs = v_seqs, remaining = v_chunk.remaining - v_new.succeeded - v_new.failed
  WHERE c.run_no = p_run_no AND c.chunk = p_chunk;
  IF is_late OR p_slots IS NULL THEN
    RETURN NEXT; RETURN;
  END IF;
  FOR delivery IN SELECT * FROM engine.admit(v_chunk.account_id) LOOP RETURN NEXT; END LOOP;
  IF NOT FOUND THEN RETURN NEXT; END IF;
END
$$;

-- Ends a worker's hold of a chunk, in one step: the last outcomes, the charge, the counters, retries, tasks that did
-- not begin, the end of the run, and the admission of the account's next work.
-- p_retries: [{"seqs": [...], "delayMs": n, "isHostBusy": true}], failed tasks to try again. With isHostBusy the host was
-- not asked, so the try does not count as an attempt. p_unstarted_seqs: tasks that did not begin.
-- p_root_no and p_children are those of engine.add_children, and the p_rows parameters those of engine.write_rows. All
-- of it is one statement, and the account is locked after rows and children are written: a worker that stops at any
-- moment holds no account.
CREATE FUNCTION engine.finish_chunk(
  p_run_no bigint, p_chunk integer, p_attempt integer, p_worker text, p_account text, p_succeeded_seqs integer[], p_answers text,
  p_failed_seqs integer[], p_errors text, p_retries jsonb, p_unstarted_seqs integer[], p_busy_ms real,
  p_root_no bigint DEFAULT NULL, p_children jsonb DEFAULT NULL,
  p_rows_statement text DEFAULT NULL, p_rows_columns text[] DEFAULT NULL, p_rows_width integer DEFAULT NULL,
  p_notes jsonb DEFAULT NULL, p_phases jsonb DEFAULT NULL
) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_chunk gleaner.chunks;
  v_new record;
  v_retried integer := 0;
  v_chunks integer := 0;
  v_first integer;
BEGIN
  PERFORM engine.write_rows(p_rows_statement, p_rows_columns, p_rows_width);
  -- stages hook
  IF p_children IS NOT NULL THEN PERFORM engine.add_children(p_root_no, p_run_no, p_children); END IF;
  PERFORM engine.lock_account(p_account);
  v_chunk := engine.lock_chunk(p_run_no, p_chunk, p_attempt, p_worker);
  IF p_notes IS NOT NULL THEN PERFORM engine.note_pages(v_chunk.account_id, p_run_no, p_notes); END IF;
  SELECT * INTO v_new FROM engine.write_results(
    p_run_no => p_run_no, p_attempts => v_chunk.tries + 1, p_succeeded_seqs => p_succeeded_seqs,
    p_answers => p_answers, p_failed_seqs => p_failed_seqs, p_errors => p_errors,
    p_phases => p_phases);
  PERFORM engine.note_sink_wait(v_chunk, 0);
  IF p_retries IS NOT NULL THEN
    SELECT r.next_chunk INTO STRICT v_first FROM gleaner.runs r WHERE r.no = p_run_no FOR NO KEY UPDATE;
    INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, tries, from_seq, to_seq, seqs, remaining,
      not_before)
    SELECT p_run_no, v_first + e.ordinal - 1, p_account, v_chunk.queue, 'pending', v_chunk.tries + e.attempts,
      min(s.seq), max(s.seq) + 1, array_agg(s.seq ORDER BY s.seq), count(*),
      clock_timestamp() + e.delay_ms * interval '1 ms'
    FROM (
      SELECT g.ordinal::int AS ordinal, (g.entry ->> 'delayMs')::float8 AS delay_ms,
        CASE WHEN (g.entry ->> 'isHostBusy')::boolean THEN 0 ELSE 1 END AS attempts, g.entry -> 'seqs' AS seqs
      FROM jsonb_array_elements(p_retries) WITH ORDINALITY g (entry, ordinal)
    ) e CROSS JOIN LATERAL (SELECT v::int AS seq FROM jsonb_array_elements_text(e.seqs) v) s
    GROUP BY e.ordinal, e.delay_ms, e.attempts;
    GET DIAGNOSTICS v_chunks = ROW_COUNT;
    SELECT coalesce(sum(jsonb_array_length(g -> 'seqs')), 0) INTO v_retried FROM jsonb_array_elements(p_retries) g;
    UPDATE gleaner.runs r SET next_chunk = r.next_chunk + v_chunks WHERE r.no = p_run_no;
  END IF;
  IF v_chunk.remaining <> v_new.succeeded + v_new.failed + v_retried + coalesce(cardinality(p_unstarted_seqs), 0) THEN
    RAISE EXCEPTION 'chunk % of run % has % tasks left, but % ended, % are tried again and % did not begin',
      p_chunk, p_run_no, v_chunk.remaining, v_new.succeeded + v_new.failed, v_retried, cardinality(p_unstarted_seqs);
  END IF;
  IF cardinality(p_unstarted_seqs) > 0 THEN
    UPDATE gleaner.chunks c SET state = 'pending', slots = 0, succeeded = 0, failed = 0, lease_until = NULL,
      worker_id = NULL, waiting_for_sink = 0, remaining = cardinality(p_unstarted_seqs), seqs = p_unstarted_seqs, deaths = 0,
      starts = 0,
      not_before = clock_timestamp()
    WHERE c.run_no = p_run_no AND c.chunk = p_chunk;
  ELSE
    DELETE FROM gleaner.chunks c WHERE c.run_no = p_run_no AND c.chunk = p_chunk;
  END IF;
  PERFORM engine.settle_run(
    p_account => p_account, p_run_no => p_run_no, p_chunk => p_chunk, p_attempt => p_attempt,
    p_succeeded => v_chunk.succeeded + v_new.succeeded, p_failed => v_chunk.failed + v_new.failed,
    p_busy_ms => p_busy_ms);
  RETURN QUERY SELECT * FROM engine.admit(p_account);
END
$$;

-- Takes the slots of an admitted chunk that no worker has begun, for an interactive request. The caller holds the
-- account's lock.
CREATE FUNCTION engine.preempt_chunk(p_account text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gleaner.chunks SET state = 'pending', slots = 0, lease_until = NULL, not_before = clock_timestamp()
  WHERE (run_no, chunk) = (
    SELECT c.run_no, c.chunk FROM gleaner.chunks c WHERE c.account_id = p_account AND c.state = 'admitted'
    ORDER BY c.delivered_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
  );
END
$$;
