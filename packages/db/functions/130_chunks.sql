-- Chunks: what a worker writes of those that it runs. It writes those of all accounts in groups, one statement each.

-- What writes did to rows: in how many a value of an earlier fetch stayed, and the changes that the table noted; null when it keeps
-- none.
CREATE TYPE engine.row_counts AS (kept integer, rows_new integer, rows_changed integer, rows_returned integer, rows_removed integer);

-- Adds them to a run, and to what the account used. The caller does not hold the place of a feed, which is taken after the locks
-- of runs.
CREATE FUNCTION engine.count_rows(p_run_no bigint, p_rows engine.row_counts) RETURNS void
LANGUAGE sql AS $$
  UPDATE gleaner.runs r SET rows_kept = r.rows_kept + coalesce(p_rows.kept, 0),
    rows_new = coalesce(coalesce(r.rows_new, 0) + p_rows.rows_new, r.rows_new),
    rows_changed = coalesce(coalesce(r.rows_changed, 0) + p_rows.rows_changed, r.rows_changed),
    rows_returned = coalesce(coalesce(r.rows_returned, 0) + p_rows.rows_returned, r.rows_returned),
    rows_removed = coalesce(coalesce(r.rows_removed, 0) + coalesce(p_rows.rows_removed, p_rows.rows_new * 0), r.rows_removed)
  WHERE r.no = p_run_no AND (p_rows.kept > 0 OR p_rows.rows_removed > 0 OR p_rows.rows_new + p_rows.rows_changed + p_rows.rows_returned > 0
    OR (r.rows_new IS NULL AND p_rows.rows_new IS NOT NULL));
  INSERT INTO gleaner.usage_deltas (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits, rows_new,
    rows_changed, rows_removed)
  SELECT r.account_id, date_trunc('hour', clock_timestamp(), 'UTC'), coalesce(r.key_id, ''), coalesce(r.target ->> 'parserId', ''),
    coalesce(r.cron_id, ''), '', 0, 0, 0, n.*
  FROM gleaner.runs r CROSS JOIN LATERAL (
    SELECT coalesce(p_rows.rows_new, 0) + coalesce(p_rows.rows_returned, 0) AS new, coalesce(p_rows.rows_changed, 0) AS changed,
      coalesce(p_rows.rows_removed, 0) AS removed
  ) n
  WHERE r.no = p_run_no AND n.new + n.changed + n.removed > 0
$$;

-- One write of a worker about a chunk that it runs.
CREATE TYPE engine.chunk_write AS (
  -- The chunk, and the fence.
  run_no bigint, chunk integer, attempt integer, token bigint,
  account_id text,
  -- Whether it ends the worker's hold; else it renews the lease.
  is_end boolean,
  -- Whether it changes slots, the run or waiting chunks, for which the account is locked. An end does.
  is_locking boolean,
  -- The slots that it keeps; null: all.
  slots integer,
  -- Outcomes. The answers of the successes travel beside; errors and phases (by seq) are those of results. prices: what each
  -- success costs; null: the run's price.
  succeeded integer[], prices integer[], failed integer[], errors jsonb, phases jsonb,
  -- Tasks that did not begin.
  unstarted integer[],
  -- Failed tasks to try again: see engine.give_back.
  retries jsonb,
  -- Why other pages of its run wait for hosts that it has left, and after how many milliseconds these take the next one: see
  -- engine.wake_paced.
  wakes text[], wakes_after_ms real,
  -- How long the tasks took in all; milliseconds.
  busy_ms real,
  -- Outcomes that the worker holds because the sink's database is away. Tasks given back meanwhile wait as well.
  waiting integer,
  -- For engine.note_pages and engine.on_written.
  notes jsonb, root_no bigint, children jsonb,
  -- Its outcomes are counted and charged later. For engine.on_written.
  defers boolean, fetched jsonb,
  -- When the pages of the outcomes were fetched, successes before failures; null: nobody asks for it.
  fetched_at timestamptz[],
  -- How much it stores.
  bytes bigint,
  -- Rows of an external table.
  rows engine.row_counts
);

-- A chunk of a group, locked, with what is written of it.
CREATE TYPE engine.held_chunk AS (
  place integer, at tid, chunk gleaner.chunks, price integer, write engine.chunk_write,
  -- The lease had run out, so other work may own its slots: outcomes are kept, nothing is renewed or given back.
  is_late boolean,
  -- Tasks that are given back now; the tasks that it keeps, null: its whole range.
  given_back integer, seqs integer[]
);

-- Writes rows of a managed table. A statement takes one array with an array literal for each of p_width columns; p_columns has
-- p_width elements for each part of the rows, and each statement is for all parts. Returns the sum of what statements that begin
-- with WITH say, which is a row like engine.row_counts, or the beginning of one. p_run_no: the run that counts it. p_finish: the
-- last statement of the transaction, if it ends here.
CREATE FUNCTION engine.write_rows(
  p_statements text[], p_columns text[], p_width integer, p_finish text DEFAULT NULL, p_run_no bigint DEFAULT NULL
) RETURNS engine.row_counts
LANGUAGE plpgsql AS $$
DECLARE
  v_statement text;
  v_rows engine.row_counts;
  v_sum engine.row_counts := ROW(0, NULL, NULL, NULL, NULL);
BEGIN
  PERFORM set_config('gleaner.rest', '', true);
  FOREACH v_statement IN ARRAY p_statements LOOP
    -- A table with history: the statement before has written all rows.
    EXIT WHEN current_setting('gleaner.rest') = '0';
    FOR v_first IN 1..cardinality(p_columns) BY p_width LOOP
      IF v_statement LIKE 'WITH %' THEN
        EXECUTE v_statement INTO v_rows USING p_columns[v_first : v_first + p_width - 1];
        v_sum := ROW(v_sum.kept + v_rows.kept, coalesce(v_sum.rows_new, 0) + v_rows.rows_new,
          coalesce(v_sum.rows_changed, 0) + v_rows.rows_changed, coalesce(v_sum.rows_returned, 0) + v_rows.rows_returned, NULL);
      ELSE
        EXECUTE v_statement USING p_columns[v_first : v_first + p_width - 1];
      END IF;
    END LOOP;
  END LOOP;
  IF p_run_no IS NOT NULL THEN PERFORM engine.count_rows(p_run_no, v_sum); END IF;
  -- Where no row has changed, there are no changes to give a place.
  IF p_finish IS NOT NULL AND current_setting('gleaner.rest') <> '0' THEN EXECUTE p_finish; END IF;
  RETURN v_sum;
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

-- Adds tasks that wait for the pace of their run at a host to a chunk that waits for it too, so that few chunks have many of
-- them. Returns how many it added: all or none. The caller holds the account's lock.
CREATE FUNCTION engine.join_paced(p_chunk gleaner.chunks, p_seqs integer[], p_due timestamptz, p_reason text) RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gleaner.chunks c SET seqs = c.seqs || p_seqs, remaining = c.remaining + cardinality(p_seqs),
    from_seq = least(c.from_seq, (SELECT min(s) FROM unnest(p_seqs) s)),
    to_seq = greatest(c.to_seq, (SELECT max(s) + 1 FROM unnest(p_seqs) s)), not_before = least(c.not_before, p_due)
  WHERE c.ctid = (
    -- Who takes chunks locks them before their run, which is locked here.
    SELECT k.ctid FROM gleaner.chunks k
    WHERE k.run_no = p_chunk.run_no AND k.state = 'pending' AND k.waits_for = p_reason AND k.queue = p_chunk.queue
      AND k.way = p_chunk.way AND k.is_untried = p_chunk.is_untried AND k.tries = p_chunk.tries AND k.deaths = 0 AND k.redirected IS NULL AND k.seqs IS NOT NULL
      AND k.remaining + cardinality(p_seqs) <= 200
    ORDER BY k.chunk LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  RETURN CASE WHEN FOUND THEN cardinality(p_seqs) ELSE 0 END;
END
$$;

-- Makes chunks that wait, of tasks of a run that others had: p_groups is [{seqs, delayMs, attempts, waitsFor, joins, redirected,
-- way, queue, isUntried}]. With a queue, its tasks go on by that way; those that join wait with others for the same (engine.join_paced). A further attempt, or another way, begins at the page's own address. Returns how many tasks they hold. The caller holds the account's lock.
CREATE FUNCTION engine.give_back(p_chunk gleaner.chunks, p_groups jsonb) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_first integer;
  v_tasks integer;
  v_joined integer := 0;
  v_added integer;
  v_group jsonb;
  v_groups jsonb := '[]';
BEGIN
  SELECT r.next_chunk INTO STRICT v_first FROM gleaner.runs r WHERE r.no = p_chunk.run_no FOR NO KEY UPDATE;
  FOR v_group IN SELECT * FROM jsonb_array_elements(p_groups) LOOP
    v_added := CASE WHEN v_group ? 'joins' AND p_chunk.redirected IS NULL THEN engine.join_paced(p_chunk,
      ARRAY(SELECT e::int FROM jsonb_array_elements_text(v_group -> 'seqs') e),
      clock_timestamp() + (v_group ->> 'delayMs')::float8 * interval '1 ms', v_group ->> 'waitsFor') ELSE 0 END;
    v_joined := v_joined + v_added;
    IF v_added = 0 THEN v_groups := v_groups || jsonb_build_array(v_group); END IF;
  END LOOP;
  WITH made AS (
    INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, way, state, tries, from_seq, to_seq, seqs, remaining,
      not_before, waits_for, redirected, is_untried, paused_ms)
    SELECT p_chunk.run_no, v_first + g.place - 1, p_chunk.account_id, coalesce(g.item ->> 'queue', p_chunk.queue),
      coalesce((g.item ->> 'way')::smallint, p_chunk.way), 'pending',
      p_chunk.tries + coalesce((g.item ->> 'attempts')::int, 0), min(s.seq), max(s.seq) + 1,
      array_agg(s.seq ORDER BY s.seq), count(*),
      clock_timestamp() + coalesce((g.item ->> 'delayMs')::float8, 0) * interval '1 ms', g.item ->> 'waitsFor',
      CASE WHEN g.item ->> 'queue' IS NULL AND coalesce((g.item ->> 'attempts')::int, 0) = 0
        THEN coalesce(p_chunk.redirected || (g.item -> 'redirected'), g.item -> 'redirected', p_chunk.redirected) END,
      CASE WHEN g.item ->> 'queue' IS NULL THEN p_chunk.is_untried ELSE coalesce((g.item ->> 'isUntried')::boolean, false) END,
      p_chunk.paused_ms + CASE WHEN g.item ->> 'waitsFor' IS NULL THEN 0 ELSE (g.item ->> 'delayMs')::float8::int END
    FROM jsonb_array_elements(v_groups) WITH ORDINALITY g (item, place)
    CROSS JOIN LATERAL (SELECT e::int AS seq FROM jsonb_array_elements_text(g.item -> 'seqs') e) s
    GROUP BY g.place, g.item
    RETURNING remaining
  ), counted AS (SELECT count(*) AS chunks, coalesce(sum(m.remaining), 0) AS tasks FROM made m)
  UPDATE gleaner.runs r SET next_chunk = r.next_chunk + c.chunks FROM counted c WHERE r.no = p_chunk.run_no
  RETURNING c.tasks INTO v_tasks;
  RETURN v_tasks + v_joined;
END
$$;

-- The hosts that an ended chunk has left take the next page of its run: of the chunks that wait for one of them, the first is due
-- then. Returns messages for workers of other queues. The caller holds the accounts' locks, and locks no turn later.
CREATE FUNCTION engine.wake_paced(p_held engine.held_chunk[]) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_held engine.held_chunk;
  v_due timestamptz;
  v_queue text;
  v_runs bigint[];
BEGIN
  FOREACH v_held IN ARRAY p_held LOOP
    CONTINUE WHEN coalesce(cardinality((v_held.write).wakes), 0) = 0;
    v_due := clock_timestamp() + (v_held.write).wakes_after_ms * interval '1 ms';
    -- Stages of one workflow run keep their pace together.
    v_runs := ARRAY(SELECT r.no FROM gleaner.runs r WHERE r.no = (v_held.chunk).run_no UNION
      SELECT s.no FROM gleaner.runs r JOIN gleaner.runs s ON s.root_no = r.root_no WHERE r.no = (v_held.chunk).run_no);
    FOR v_queue IN
      WITH first AS MATERIALIZED (
        SELECT DISTINCT ON (k.waits_for) k.run_no, k.chunk, k.not_before FROM gleaner.chunks k
        WHERE k.run_no = ANY (v_runs) AND k.state = 'pending' AND k.waits_for = ANY ((v_held.write).wakes)
        ORDER BY k.waits_for, k.not_before
      ), locked AS MATERIALIZED (
        -- One that somebody takes now needs no waking, and who takes chunks locks them before their run, which is locked here.
        SELECT k.ctid AS at FROM first f JOIN gleaner.chunks k ON k.run_no = f.run_no AND k.chunk = f.chunk
        WHERE f.not_before > v_due AND k.state = 'pending' FOR NO KEY UPDATE OF k SKIP LOCKED
      )
      UPDATE gleaner.chunks c SET not_before = v_due,
        paused_ms = greatest(c.paused_ms - extract(epoch FROM c.not_before - v_due) * 1000, 0)
      FROM locked l WHERE c.ctid = l.at RETURNING c.queue
    LOOP
      IF v_queue <> (v_held.chunk).queue THEN
        RETURN QUERY SELECT * FROM engine.wake_turn((v_held.chunk).account_id, v_queue);
      END IF;
    END LOOP;
  END LOOP;
END
$$;

-- Makes turns ready in whose queue tasks of other queues go on. The caller holds the accounts' locks, and locks no turn later.
CREATE FUNCTION engine.wake_climbed(p_held engine.held_chunk[]) RETURNS SETOF engine.delivery
LANGUAGE sql AS $$
  SELECT d.* FROM (
    SELECT DISTINCT (h.chunk).account_id AS account, e.item ->> 'queue' AS queue
    FROM unnest(p_held) h CROSS JOIN LATERAL jsonb_array_elements((h.write).retries) e (item)
    WHERE e.item ->> 'queue' <> (h.chunk).queue
  ) c CROSS JOIN LATERAL engine.wake_turn(c.account, c.queue) d
$$;

-- Gives back the tasks of a chunk that are tried again, and those that it has not begun; notes what waits for a sink, and
-- what features keep. Most chunks of a group have none of it.
CREATE FUNCTION engine.write_exceptions(p_held engine.held_chunk) RETURNS engine.held_chunk
LANGUAGE plpgsql AS $$
DECLARE
  v_write constant engine.chunk_write := p_held.write;
  v_chunk constant gleaner.chunks := p_held.chunk;
  v_present integer[];
  v_returned integer[];
BEGIN
  PERFORM engine.on_written(v_write.run_no, v_write.succeeded || v_write.failed, v_write);
  PERFORM engine.note_sink_wait(v_chunk, v_write.waiting);
  IF v_write.retries IS NOT NULL THEN p_held.given_back := engine.give_back(v_chunk, v_write.retries); END IF;
  IF coalesce(cardinality(v_write.unstarted), 0) = 0 THEN RETURN p_held; END IF;
  IF v_write.is_end THEN
    UPDATE gleaner.chunks c SET state = 'pending', slots = 0, succeeded = 0, saved = 0, failed = 0, lease_until = NULL,
      worker_id = NULL, waiting_for_sink = 0, remaining = cardinality(v_write.unstarted), seqs = v_write.unstarted,
      deaths = 0, starts = 0, not_before = clock_timestamp()
    WHERE c.ctid = p_held.at;
    RETURN p_held;
  END IF;
  IF p_held.is_late THEN RETURN p_held; END IF;
  -- A write that is repeated finds them gone.
  v_present := coalesce(v_chunk.seqs, ARRAY(SELECT generate_series(v_chunk.from_seq, v_chunk.to_seq - 1)));
  v_returned := ARRAY(SELECT unnest(v_write.unstarted) INTERSECT SELECT unnest(v_present));
  IF cardinality(v_returned) > 0 THEN
    p_held.given_back := p_held.given_back + engine.give_back(v_chunk, jsonb_build_array(jsonb_build_object(
      'seqs', v_returned, 'delayMs', CASE WHEN v_write.waiting > 0 THEN 10000 ELSE 0 END)));
    p_held.seqs := ARRAY(SELECT unnest(v_present) EXCEPT SELECT unnest(v_returned) ORDER BY 1);
  END IF;
  RETURN p_held;
END
$$;

-- Locks the chunks of writes whose accounts are locked, or that need no lock, and checks the fence. A crash that loses a take, or a
-- failover, can give one attempt twice, so it compares the token of the take.
CREATE FUNCTION engine.hold_chunks(p_worker text, p_writes engine.chunk_write[], p_locked text[]) RETURNS engine.held_chunk[]
LANGUAGE plpgsql AS $$
DECLARE
  v_held engine.held_chunk[];
  v_fault text;
BEGIN
  -- In one order, because writes that lock no account still lock their chunks.
  v_held := ARRAY(
    SELECT ROW(w.place, c.at, c.chunk, r.price, w.write, (c.chunk).lease_until <= clock_timestamp(), 0, (c.chunk).seqs)
      ::engine.held_chunk
    FROM (
      SELECT g.place, p_writes[g.place] AS write FROM generate_subscripts(p_writes, 1) g (place)
      WHERE NOT p_writes[g.place].is_locking OR p_writes[g.place].account_id = ANY (p_locked)
      ORDER BY p_writes[g.place].run_no, p_writes[g.place].chunk
    ) w CROSS JOIN LATERAL (
      SELECT k.ctid AS at, k AS chunk FROM gleaner.chunks k
      WHERE k.run_no = (w.write).run_no AND k.chunk = (w.write).chunk AND k.attempt = (w.write).attempt
        AND k.token = (w.write).token AND k.worker_id = p_worker
      LIMIT 1 FOR NO KEY UPDATE
    ) c CROSS JOIN LATERAL engine.run_of((w.write).run_no) r
    WHERE (c.chunk).state = 'running');
  -- No more than the dearest price is reserved.
  SELECT format('a page of run %s can''t cost %s credits', (h.chunk).run_no, p.price) INTO v_fault
  FROM unnest(v_held) h CROSS JOIN LATERAL unnest((h.write).prices) p (price)
  WHERE p.price NOT BETWEEN 0 AND h.price LIMIT 1;
  IF v_fault IS NOT NULL THEN RAISE EXCEPTION '%', v_fault USING ERRCODE = 'data_exception'; END IF;
  RETURN v_held;
END
$$;

-- Writes the outcomes of chunks, renews their leases, and removes the chunks that end. Returns the ends. p_before: how many
-- answers earlier writes have.
CREATE FUNCTION engine.write_outcomes(
  p_held engine.held_chunk[], p_answers text[], p_before bigint[], p_lease_ms integer
) RETURNS engine.run_end[]
LANGUAGE plpgsql AS $$
DECLARE
  v_ends engine.run_end[];
  v_fault text;
BEGIN
  WITH held AS MATERIALIZED (
    SELECT h.place, h.at, h.chunk, h.price, h.write, h.is_late, h.given_back, h.seqs, (h.chunk).run_no AS run_no,
      nullif((h.chunk).way, 0) AS way, (h.chunk).tries + 1 AS attempts, (h.write).succeeded AS succeeded, (h.write).failed AS failed,
      (h.write).prices AS prices, (h.write).fetched_at AS fetched_at, (h.write).errors AS errors, (h.write).phases AS phases,
      CASE WHEN (h.chunk).paused_ms > 0 THEN jsonb_build_object('pause_ms', (h.chunk).paused_ms) END AS pause, (h.write).defers IS TRUE AS defers,
      -- An outcome that is there was written by the same statement, whose answer was lost: it is counted already. Only the
      -- holder of the chunk writes its outcomes, so none comes between.
      ARRAY(SELECT r.seq FROM gleaner.results r
        WHERE r.run_no = (h.chunk).run_no AND r.seq = ANY ((h.write).succeeded || (h.write).failed)) AS written
    FROM unnest(p_held) h
  ), inserted AS (
    INSERT INTO gleaner.results (run_no, seq, way, credits, attempts, ok, answer, error, fetched_at, phases)
    SELECT h.run_no, o.seq, h.way, coalesce(h.prices[o.ordinal], h.price), h.attempts, true,
      nullif(p_answers[p_before[h.place] + o.ordinal], ''), NULL,
      h.fetched_at[o.ordinal],
      CASE WHEN h.pause IS NULL THEN h.phases -> o.seq::text ELSE h.pause || coalesce(h.phases -> o.seq::text, '{}') END
    FROM held h CROSS JOIN LATERAL unnest(h.succeeded) WITH ORDINALITY o (seq, ordinal)
    WHERE o.seq <> ALL (h.written)
    UNION ALL
    SELECT h.run_no, f.seq, h.way, 0, h.attempts, false, NULL, h.errors -> (f.ordinal - 1)::int,
      h.fetched_at[cardinality(h.succeeded) + f.ordinal],
      CASE WHEN h.pause IS NULL THEN h.phases -> f.seq::text ELSE h.pause || coalesce(h.phases -> f.seq::text, '{}') END
    FROM held h CROSS JOIN LATERAL unnest(h.failed) WITH ORDINALITY f (seq, ordinal)
    WHERE f.seq <> ALL (h.written)
  ), counted AS MATERIALIZED (
    SELECT h.at, h.chunk, h.price, h.write, h.is_late, h.given_back, h.seqs, o.succeeded + o.failed AS ended,
      CASE WHEN h.defers THEN 0 ELSE o.succeeded END AS succeeded, CASE WHEN h.defers THEN 0 ELSE o.saved END AS saved,
      CASE WHEN h.defers THEN 0 ELSE o.failed END AS failed
    FROM held h CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE e.is_success)::int AS succeeded, count(*) FILTER (WHERE NOT e.is_success)::int AS failed,
        coalesce(sum(h.price - h.prices[e.ordinal]) FILTER (WHERE e.is_success), 0) AS saved
      FROM (
        SELECT true AS is_success, s.seq, s.ordinal FROM unnest(h.succeeded) WITH ORDINALITY s (seq, ordinal)
        UNION ALL
        SELECT false, f.seq, NULL FROM unnest(h.failed) f (seq)
      ) e WHERE e.seq <> ALL (h.written)
    ) o
  ), kept AS (
    UPDATE gleaner.chunks c SET
      lease_until = CASE WHEN n.is_late THEN c.lease_until ELSE clock_timestamp() + p_lease_ms * interval '1 ms' END,
      slots = CASE WHEN n.is_late THEN c.slots ELSE least(c.slots, coalesce((n.write).slots, c.slots)) END,
      succeeded = c.succeeded + n.succeeded, saved = c.saved + n.saved, failed = c.failed + n.failed,
      waiting_for_sink = (n.write).waiting, seqs = n.seqs, remaining = c.remaining - n.ended - n.given_back
    FROM counted n WHERE c.ctid = n.at AND NOT (n.write).is_end
  ), gone AS (
    DELETE FROM gleaner.chunks c USING counted n
    WHERE c.ctid = n.at AND (n.write).is_end AND coalesce(cardinality((n.write).unstarted), 0) = 0
  )
  SELECT array_agg(ROW((n.chunk).account_id, (n.chunk).run_no, (n.chunk).chunk, (n.chunk).attempt,
      (n.chunk).succeeded + n.succeeded,
      ((n.chunk).succeeded + n.succeeded)::bigint * n.price - (n.chunk).saved - n.saved,
      (n.chunk).failed + n.failed, 0, CASE WHEN (n.chunk).way = 0 THEN (n.write).busy_ms END,
      -- The pace of a run is that of its first way.
      CASE WHEN (n.chunk).way > 0 THEN 0 WHEN (n.write).defers
        THEN coalesce(cardinality((n.chunk).seqs), (n.chunk).to_seq - (n.chunk).from_seq)
          - coalesce(cardinality((n.write).unstarted), 0)
        ELSE (n.chunk).succeeded + (n.chunk).failed + n.ended END,
      (n.chunk).from_seq, (n.chunk).to_seq, (n.chunk).seqs)::engine.run_end),
    min(format('chunk %s of run %s has %s tasks left, but %s ended, and %s are given back', (n.chunk).chunk,
        (n.chunk).run_no, (n.chunk).remaining, n.ended, n.given_back + cardinality((n.write).unstarted)))
      FILTER (WHERE (n.chunk).remaining <> n.ended + n.given_back + coalesce(cardinality((n.write).unstarted), 0))
  INTO v_ends, v_fault FROM counted n WHERE (n.write).is_end;
  IF v_fault IS NOT NULL THEN RAISE EXCEPTION '%', v_fault; END IF;
  RETURN v_ends;
END
$$;

-- Counts what writes did to rows, and what they store. p_rows: of rows of a managed table, whose size is measured; else null.
CREATE FUNCTION engine.count_stored(p_held engine.held_chunk[], p_rows engine.row_counts) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.count_rows((h.chunk).run_no, n.rows)
  FROM unnest(p_held) h CROSS JOIN LATERAL (SELECT coalesce((h.write).rows, p_rows) AS rows) n WHERE (n.rows).kept IS NOT NULL;
  INSERT INTO gleaner.stored_deltas (account_id, run_no, bytes)
  SELECT (h.chunk).account_id, CASE WHEN p_rows.kept IS NULL THEN (h.chunk).run_no END, sum((h.write).bytes)
  FROM unnest(p_held) h WHERE (h.write).bytes > 0 GROUP BY 1, 2;
END
$$;

-- Writes a group of chunks: outcomes and leases, and of those that end, charges, counters and the end of their runs. p_answers:
-- the answers of all successes in the order of their writes, one per line; the line is empty in database mode. outcome: done |
-- late (see engine.held_chunk) | lost (taken back, given to another worker or cancelled: nothing is written) | busy (somebody
-- else holds the account, and p_lock_ms is null; else the statement waits so long and fails with lock_not_available). A lost
-- write has no row. A group has one write of a chunk. The p_rows parameters are those of engine.write_rows, and go with a
-- single write: rows are written first, before any lock, and an error undoes them when the chunk is lost; p_rows_finish is the
-- last statement of all. Rows with a null place carry deliveries.
CREATE FUNCTION engine.write_chunks(
  p_worker text, p_writes jsonb, p_answers text, p_lease_ms integer, p_lock_ms integer,
  p_rows_statements text[] DEFAULT NULL, p_rows_columns text[] DEFAULT NULL, p_rows_width integer DEFAULT NULL,
  p_rows_finish text DEFAULT NULL
) RETURNS TABLE (place integer, outcome text, delivery engine.delivery)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET enable_bitmapscan = off AS $$ -- live work may be none when a plan is made; planning is half of a small group; the newest version comes first in its index
#variable_conflict use_column
DECLARE
  v_writes constant engine.chunk_write[] := ARRAY(
    SELECT w FROM jsonb_populate_recordset(NULL::engine.chunk_write, p_writes) w);
  v_answers constant text[] := string_to_array(p_answers, E'\n');
  -- How many successes earlier writes have; the last element: all.
  v_before constant bigint[] := ARRAY(
    SELECT coalesce(sum(cardinality(v_writes[g.place].succeeded)) OVER (
      ORDER BY g.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    FROM generate_series(1, cardinality(v_writes) + 1) g (place) ORDER BY g.place);
  v_accounts constant text[] := ARRAY(SELECT DISTINCT w.account_id FROM unnest(v_writes) w WHERE w.is_locking);
  v_locked text[] := '{}';
  v_held engine.held_chunk[];
  v_rows engine.row_counts;
BEGIN
  -- Lines that do not fit would give answers to other accounts.
  IF cardinality(v_answers) > v_before[cardinality(v_before)] THEN
    RAISE EXCEPTION 'an answer has several lines' USING ERRCODE = 'data_exception';
  END IF;
  IF p_rows_statements IS NOT NULL THEN
    v_rows := engine.write_rows(p_rows_statements, p_rows_columns, p_rows_width);
  END IF;
  IF cardinality(v_accounts) > 0 THEN
    v_locked := engine.lock_accounts(v_accounts, p_lock_ms);
  ELSE
    -- Outcomes that a crash of Postgres loses are fetched again.
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  v_held := engine.hold_chunks(p_worker, v_writes, v_locked);
  IF p_rows_statements IS NOT NULL AND cardinality(v_held) = 0 AND cardinality(v_accounts) = cardinality(v_locked) THEN
    RAISE EXCEPTION 'chunk lost' USING ERRCODE = 'GL001';
  END IF;
  PERFORM engine.note_pages(ARRAY(
    SELECT ROW((h.chunk).account_id, (h.chunk).run_no, (h.write).notes)::engine.page_notes
    FROM unnest(v_held) h WHERE (h.write).notes IS NOT NULL));
  FOR v_index IN 1..cardinality(v_held) LOOP
    IF (v_held[v_index].write).children IS NOT NULL OR (v_held[v_index].write).defers OR (v_held[v_index].write).retries IS NOT NULL
      OR (v_held[v_index].write).waiting > 0 OR (v_held[v_index].chunk).waiting_for_sink > 0
      OR cardinality((v_held[v_index].write).unstarted) > 0
    THEN
      v_held[v_index] := engine.write_exceptions(v_held[v_index]);
    END IF;
  END LOOP;
  -- Before runs end: what is told of an end has its counts.
  PERFORM engine.count_stored(v_held, v_rows);
  PERFORM engine.settle_runs(engine.write_outcomes(v_held, v_answers, v_before, p_lease_ms));
  RETURN QUERY
    SELECT h.place, CASE WHEN h.is_late THEN 'late' ELSE 'done' END, NULL::engine.delivery FROM unnest(v_held) h
    UNION ALL
    SELECT g.place, 'busy', NULL FROM generate_subscripts(v_writes, 1) g (place)
    WHERE v_writes[g.place].is_locking AND v_writes[g.place].account_id <> ALL (v_locked);
  RETURN QUERY SELECT NULL::integer, NULL::text, d
    FROM unnest(v_locked) l (account) CROSS JOIN LATERAL engine.admit(l.account) d
    UNION ALL SELECT NULL, NULL, d FROM engine.wake_climbed(v_held) d
    UNION ALL SELECT NULL, NULL, d FROM engine.wake_paced(v_held) d;
  IF p_rows_finish IS NOT NULL AND current_setting('gleaner.rest') <> '0' THEN EXECUTE p_rows_finish; END IF;
END
$$;
