-- Turns: how work of batches reaches a worker. Whoever has free slots takes chunks of the accounts that were served
-- least. An account's turn is ready (it may have work), full (its slots are in use) or idle. A worker that takes chunks
-- waits for no lock: what others hold at that moment is left for its next call.
-- Order of locks: account, turn, chunk, run. The turn of `batch-http` guards the slots of an account in all queues: they
-- grow only while it is locked.

-- The newest version of a row comes first in the scan. A row that is locked is written by its ctid.

-- Locks the slots of an account. Nothing to lock: it never had a run.
CREATE FUNCTION engine.lock_turn(p_account text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM gleaner.turns t WHERE t.account_id = p_account AND t.queue = 'batch-http' ORDER BY t.tick DESC LIMIT 1
  FOR NO KEY UPDATE;
END
$$;

-- No running chunk of the account was seen earlier.
CREATE FUNCTION engine.chunk_floor(p_account text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((
    SELECT t.chunk_floor FROM gleaner.turns t WHERE t.account_id = p_account AND t.queue = 'batch-http'
    ORDER BY t.tick DESC LIMIT 1), 0);
END
$$;

-- No open run of the account was served earlier in the queue.
CREATE FUNCTION engine.run_floor(p_account text, p_queue text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((
    SELECT t.run_floor FROM gleaner.turns t WHERE t.account_id = p_account AND t.queue = p_queue
    ORDER BY t.tick DESC LIMIT 1), 0);
END
$$;

-- Where a turn goes on that becomes ready: where the least served of those that wait stands.
CREATE FUNCTION engine.turn_start(p_queue text) RETURNS double precision
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_queue = 'batch-http' THEN RETURN (SELECT s.last_value FROM gleaner.turn_start_http s); END IF;
  RETURN (SELECT s.last_value FROM gleaner.turn_start_browser s);
END
$$;

-- No ready account was served less: an earlier start, since a transaction that wakes a turn may be under way.
CREATE FUNCTION engine.turn_floor(p_queue text) RETURNS double precision
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_queue = 'batch-http' THEN RETURN (SELECT f.last_value FROM gleaner.turn_floor_http f); END IF;
  RETURN (SELECT f.last_value FROM gleaner.turn_floor_browser f);
END
$$;

-- The slot-milliseconds of one turn, with which a round of all waiting accounts takes about a second; 0 while no worker
-- serves the queue.
CREATE FUNCTION engine.turn_share(p_queue text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_queue = 'batch-http' THEN RETURN (SELECT f.last_value FROM gleaner.turn_share_http f); END IF;
  RETURN (SELECT f.last_value FROM gleaner.turn_share_browser f);
END
$$;

-- Makes the turn of an account ready, because there may be work for it. It continues where the least served account
-- stands, so nobody saves up turns by waiting. The caller holds the account's lock. Returns a message for a worker when
-- the turn was idle; the end of a chunk or of a request finds those that are full.
CREATE FUNCTION engine.wake_turn(p_account text, p_queue text) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_row record;
BEGIN
  IF p_queue = 'none' THEN RETURN; END IF;
  SELECT t.ctid AS at, t.state INTO v_row FROM gleaner.turns t WHERE t.account_id = p_account AND t.queue = p_queue
  ORDER BY t.tick DESC LIMIT 1 FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    INSERT INTO gleaner.turns (account_id, queue, state, served)
    SELECT p_account, q.queue, CASE q.queue WHEN p_queue THEN 'ready' ELSE 'idle' END, engine.turn_start(q.queue)
    FROM (VALUES ('batch-http'), ('batch-browser')) q (queue);
  ELSIF v_row.state = 'ready' THEN
    RETURN;
  ELSE
    UPDATE gleaner.turns t SET state = 'ready', due_at = NULL, tick = t.tick + 1,
      served = greatest(t.served, engine.turn_start(p_queue))
    WHERE t.ctid = v_row.at;
  END IF;
  RETURN NEXT engine.turn_delivery(p_queue);
END
$$;

-- Makes the turns of accounts ready in which they have open runs, in order. The caller holds the accounts' locks.
CREATE FUNCTION engine.wake_accounts(p_accounts text[]) RETURNS SETOF engine.delivery
LANGUAGE plpgsql SET enable_bitmapscan = off AS $$
DECLARE
  v_account text;
BEGIN
  FOR v_account IN SELECT DISTINCT a FROM unnest(p_accounts) a ORDER BY a LOOP
    RETURN QUERY SELECT w.* FROM (VALUES ('batch-browser'), ('batch-http')) q (queue)
      CROSS JOIN LATERAL engine.wake_turn(v_account, q.queue) w
      WHERE EXISTS (
        SELECT 1 FROM gleaner.runs r
        WHERE r.account_id = v_account AND r.queue = q.queue AND r.is_open AND r.last_served >= engine.run_floor(v_account, q.queue));
  END LOOP;
END
$$;

-- Makes turns ready that may be full no longer, and corrects what they were charged by what they had. It waits for no
-- lock and returns the accounts that somebody else holds. p_ended: [{account, ms, isMore}]; with isMore an idle turn
-- becomes ready, too.
CREATE FUNCTION engine.wake_turns(p_queue text, p_ended jsonb) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  v_start constant double precision := engine.turn_start(p_queue);
  v_other constant text := CASE p_queue WHEN 'batch-http' THEN 'batch-browser' ELSE 'batch-http' END;
  v_ended record;
  v_at tid;
BEGIN
  FOR v_ended IN SELECT * FROM jsonb_to_recordset(p_ended) e (account text, ms double precision, "isMore" boolean) LOOP
    SELECT t.ctid INTO v_at FROM gleaner.turns t WHERE t.account_id = v_ended.account AND t.queue = p_queue
    ORDER BY t.tick DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN QUERY SELECT v_ended.account WHERE EXISTS (
        SELECT 1 FROM gleaner.turns t WHERE t.account_id = v_ended.account AND t.queue = p_queue);
    ELSE
      UPDATE gleaner.turns t SET served = greatest(t.served + v_ended.ms, v_start), tick = t.tick + 1,
        state = CASE WHEN t.state = 'full' OR v_ended."isMore" THEN 'ready' ELSE t.state END,
        due_at = CASE WHEN v_ended."isMore" THEN NULL ELSE t.due_at END
      WHERE t.ctid = v_at;
      -- The other queue may use the slots as well.
      SELECT t.ctid INTO v_at FROM gleaner.turns t
      WHERE t.account_id = v_ended.account AND t.queue = v_other AND t.state = 'full'
      ORDER BY t.tick DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      UPDATE gleaner.turns t SET served = greatest(t.served, engine.turn_start(v_other)), tick = t.tick + 1, state = 'ready'
      WHERE t.ctid = v_at;
    END IF;
  END LOOP;
END
$$;

-- How many slots one chunk takes, at most.
CREATE FUNCTION engine.chunk_slots(p_queue text) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE p_queue WHEN 'batch-browser' THEN 2 ELSE 8 END $$;

-- How long a task is taken to last before the run has shown its pace; milliseconds.
CREATE FUNCTION engine.task_ms(p_queue text, p_task_ms real) RETURNS real
LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(coalesce(p_task_ms, CASE p_queue WHEN 'batch-browser' THEN 3000 ELSE 400 END), 0.1)::real
$$;

-- How many tasks make one and a half to three seconds of work for so many slots, or three slow tasks for each slot if
-- they take at most four seconds; less while many accounts wait for few slots (p_turn_ms: how long others may wait), but
-- one task for each slot. Each slot has the same number, so that they end together. Chunks are short until the run's pace
-- is known.
CREATE FUNCTION engine.chunk_size(p_queue text, p_slots integer, p_task_ms real, p_turn_ms bigint) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT least(greatest(least(CASE
      WHEN p_queue = 'batch-browser' THEN ceil(3000 * p_slots / m.task)
      WHEN p_task_ms IS NULL THEN p_slots * 4
      ELSE p_slots * greatest(ceil(1500 / m.task), least(3, floor(4000 / m.task)))
    END, CASE WHEN p_turn_ms < 1500 THEN p_slots * floor(p_turn_ms / m.task) END), p_slots),
    CASE p_queue WHEN 'batch-browser' THEN 20 ELSE 1000 END)::int
  FROM (SELECT engine.task_ms(p_queue, p_task_ms) AS task) m
$$;

-- When the next waiting chunk of the account becomes due; null when none waits for a time.
CREATE FUNCTION engine.next_due(p_account text, p_queue text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT min(w.not_before) FROM (
    (SELECT c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND c.deaths <= 2
     ORDER BY c.not_before LIMIT 1)
    UNION ALL
    (SELECT c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND c.deaths > 2
     ORDER BY c.not_before LIMIT 1)
  ) w
$$;

CREATE TYPE engine.due_chunk AS (run_no bigint, chunk integer, last_served bigint);

-- The due chunk of one queue to take next: of the run that was served longest ago. It looks at the chunks that have
-- waited longest and at those given back last, so that thousands of chunks of one run, retried at once, do not hide
-- a chunk of another run. p_may_be_lone admits chunks with more than two dead workers.
CREATE FUNCTION engine.next_due_chunk(p_account text, p_queue text, p_now timestamptz, p_may_be_lone boolean)
RETURNS SETOF engine.due_chunk
LANGUAGE sql STABLE AS $$
  SELECT d.run_no, d.chunk, r.last_served
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

-- What a worker needs of a chunk. `seqs` is null when the tasks are from_seq, from_seq + 1, …; `inputs` has one line for
-- each task; charge: slot-milliseconds that its account's turn was charged.
CREATE TYPE engine.taken_chunk AS (
  run_no bigint, chunk integer, attempt integer, token text, account_id text, run_id text, slots integer, tries integer,
  from_seq integer, last_seq integer, charge real, seqs text, inputs text
);

-- Whether the account has, in its other queue, an open run that was served earlier and that a worker could do.
CREATE FUNCTION engine.is_after_other(p_account text, p_queue text, p_served bigint) RETURNS boolean
LANGUAGE plpgsql SET enable_bitmapscan = off STABLE AS $$
DECLARE
  v_other constant text := CASE p_queue WHEN 'batch-http' THEN 'batch-browser' ELSE 'batch-http' END;
BEGIN
  RETURN engine.turn_share(v_other) > 0 AND EXISTS (
    SELECT 1 FROM gleaner.runs r
    WHERE r.account_id = p_account AND r.queue = v_other AND r.is_open
      AND r.last_served >= engine.run_floor(p_account, v_other) AND r.last_served < p_served);
END
$$;

-- Takes one chunk of an account whose turn the caller has locked, or says why there is none: full | idle | busy (somebody
-- else holds a row that it needs, or the run needs a worker of a higher level).
CREATE FUNCTION engine.take_chunk(
  p_turn gleaner.turns, p_worker text, p_slots integer, p_level integer, p_lease_ms integer, p_token bigint,
  OUT state text, OUT taken engine.taken_chunk
)
LANGUAGE plpgsql SET enable_bitmapscan = off AS $$
DECLARE
  v_queue constant text := p_turn.queue;
  v_now constant timestamptz := clock_timestamp();
  v_highest constant bigint := engine.microseconds_now() - 2000000;
  v_share constant bigint := coalesce(nullif(engine.turn_share(v_queue), 0), 1000000);
  v_account gleaner.accounts;
  v_live record;
  v_room integer;
  v_run gleaner.runs;
  v_due engine.due_chunk;
  v_chunk gleaner.chunks;
  v_slots integer;
  v_left integer;
  v_size integer;
  v_floor bigint := p_turn.run_floor;
  v_due_at timestamptz;
BEGIN
  SELECT * INTO STRICT v_account FROM gleaner.accounts a WHERE a.latest_of = p_turn.account_id
  ORDER BY a.generation DESC LIMIT 1;
  SELECT count(*) AS chunks, coalesce(sum(c.slots), 0)::int AS slots,
    coalesce(sum(c.slots) FILTER (WHERE c.lease_until > v_now), 0)::int AS used,
    coalesce(sum(c.slots) FILTER (WHERE c.lease_until > v_now AND c.queue = v_queue), 0)::int AS own,
    coalesce(bool_or(c.deaths > 2), false) AS has_lone, least(min(c.seen_at), v_highest) AS floor
  INTO v_live FROM gleaner.chunks c
  WHERE c.account_id = p_turn.account_id AND c.state <> 'pending' AND c.seen_at >= engine.chunk_floor(p_turn.account_id);
  v_room := v_account.concurrency - v_live.used - engine.interactive_slots(p_turn.account_id);
  state := CASE
    WHEN NOT v_account.is_active THEN 'idle'
    -- The ends of so many chunks soon free further slots. Without this, chunks would fall apart into ever smaller ones. At
    -- most a sixteenth of the account's slots stay free.
    WHEN v_room < least(1 + v_live.chunks / 4, 1 + v_live.slots / 16, engine.chunk_slots(v_queue)) THEN 'full'
    -- Interactive requests come first.
    WHEN engine.has_waiting_request(p_turn.account_id) THEN 'full'
  END;
  IF state IS NULL THEN
    v_due_at := engine.next_due(p_turn.account_id, v_queue);
    SELECT * INTO v_run FROM gleaner.runs r
    WHERE r.account_id = p_turn.account_id AND r.queue = v_queue AND r.is_open AND r.last_served >= v_floor
    ORDER BY r.last_served LIMIT 1;
    IF v_due_at <= v_now THEN
      SELECT * INTO v_due FROM engine.next_due_chunk(p_turn.account_id, v_queue, v_now, NOT v_live.has_lone) d;
    END IF;
    v_floor := greatest(v_floor, least(v_run.last_served, v_highest));
    IF v_due.run_no IS NOT NULL AND (v_run.no IS NULL OR v_due.last_served <= v_run.last_served) THEN
      v_run.no := v_due.run_no;
    ELSE
      v_due := NULL;
    END IF;
    IF v_run.no IS NULL THEN
      state := 'idle';
    ELSE
      -- It may have changed since: its lock shows its present version.
      SELECT * INTO v_run FROM gleaner.runs r WHERE r.no = v_run.no FOR NO KEY UPDATE SKIP LOCKED;
      IF NOT FOUND OR (v_run.config ->> 'needs')::int > p_level OR v_run.state NOT IN ('pending', 'running')
        OR (v_due.run_no IS NULL AND NOT v_run.is_open)
      THEN
        state := 'busy';
        v_run := NULL;
      ELSIF engine.is_after_other(p_turn.account_id, v_queue, v_run.last_served) THEN
        -- A quarter of the slots is for the account's other queue.
        v_room := v_room - greatest(greatest(v_account.concurrency / 4, 1) - (v_live.used - v_live.own), 0);
        IF v_room <= 0 THEN state := 'full'; END IF;
      END IF;
    END IF;
  END IF;
  IF state IS NULL THEN
    v_slots := least(v_room, p_slots, engine.chunk_slots(v_queue), greatest(v_share / 1000, 1));
    IF v_due.run_no IS NOT NULL THEN
      UPDATE gleaner.chunks c SET state = 'running', attempt = c.attempt + 1, starts = c.starts + 1, token = p_token,
        worker_id = p_worker, slots = least(v_slots, c.remaining), lease_until = v_now + p_lease_ms * interval '1 ms'
      WHERE c.run_no = v_due.run_no AND c.chunk = v_due.chunk AND c.state = 'pending'
      RETURNING * INTO v_chunk;
      -- The end of the run may have removed it.
      IF NOT FOUND THEN
        state := 'busy';
      ELSE
        UPDATE gleaner.runs r SET last_served = engine.microseconds_now() WHERE r.no = v_run.no;
      END IF;
    ELSE
      -- Never more under way than may still be charged.
      v_left := least(v_run.total - v_run.carved, v_run.budget - v_run.succeeded - v_run.held);
      -- The rest of a small run is spread over all free slots.
      v_size := least(engine.chunk_size(v_queue, v_slots, v_run.task_ms, v_share / v_slots),
        ceil(v_left::numeric / ceil(least(v_room, p_slots)::numeric / v_slots))::int);
      INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, attempt, starts, token, worker_id, slots,
        from_seq, to_seq, remaining, lease_until)
      VALUES (v_run.no, v_run.next_chunk, p_turn.account_id, v_queue, 'running', 1, 1, p_token, p_worker,
        least(v_slots, v_size), v_run.carved, v_run.carved + v_size, v_size, v_now + p_lease_ms * interval '1 ms')
      RETURNING * INTO STRICT v_chunk;
      UPDATE gleaner.runs r SET last_served = engine.microseconds_now(), carved = r.carved + v_size,
        held = r.held + v_size, next_chunk = r.next_chunk + 1, state = 'running',
        started_at = coalesce(r.started_at, v_now)
      WHERE r.no = v_run.no;
    END IF;
  END IF;
  IF v_chunk.run_no IS NOT NULL THEN
    -- stages hook
    IF v_run.root_no IS NOT NULL THEN PERFORM engine.share_turn(v_run.no); END IF;
    SELECT v_chunk.run_no, v_chunk.chunk, v_chunk.attempt, v_chunk.token::text, v_chunk.account_id, v_run.id,
      v_chunk.slots, v_chunk.tries, v_chunk.from_seq, v_chunk.to_seq - 1,
      engine.task_ms(v_queue, v_run.task_ms) * v_chunk.remaining, i.seqs, i.inputs
    INTO taken FROM engine.chunk_inputs(v_chunk) i;
    state := CASE WHEN v_room > v_chunk.slots THEN 'ready' ELSE 'full' END;
  END IF;
  IF state = 'busy' THEN RETURN; END IF;
  UPDATE gleaner.turns t SET tick = t.tick + 1, state = take_chunk.state,
    served = t.served + coalesce((taken).charge, 0), run_floor = v_floor,
    -- Something else keeps a chunk that is due already: its run's sink, or a lone chunk.
    due_at = CASE WHEN take_chunk.state = 'idle' AND v_due_at IS NOT NULL THEN
      greatest(v_due_at, v_now + interval '1 s') END,
    chunk_floor = CASE v_queue WHEN 'batch-http' THEN v_live.floor ELSE t.chunk_floor END
  WHERE t.account_id = p_turn.account_id AND t.queue = p_turn.queue AND t.tick = p_turn.tick;
END
$$;

-- The tasks of a chunk that have no outcome yet.
CREATE FUNCTION engine.chunk_inputs(p_chunk gleaner.chunks, OUT seqs text, OUT inputs text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_chunk.attempt = 1 AND p_chunk.seqs IS NULL THEN
    inputs := (
      SELECT string_agg(t.input, E'\n' ORDER BY t.seq) FROM gleaner.tasks t
      WHERE t.run_no = p_chunk.run_no AND t.seq >= p_chunk.from_seq AND t.seq < p_chunk.to_seq);
  ELSE
    SELECT string_agg(t.seq::text, ',' ORDER BY t.seq), string_agg(t.input, E'\n' ORDER BY t.seq) INTO seqs, inputs
    FROM gleaner.tasks t
    WHERE t.run_no = p_chunk.run_no AND t.seq >= p_chunk.from_seq AND t.seq < p_chunk.to_seq
      AND (p_chunk.seqs IS NULL OR t.seq = ANY (p_chunk.seqs))
      AND NOT EXISTS (SELECT 1 FROM gleaner.results o WHERE o.run_no = p_chunk.run_no AND o.seq = t.seq);
  END IF;
END
$$;

-- Takes chunks for a worker that has so many free slots, of the accounts that were served least. p_ended: accounts of
-- which this worker freed slots since its last call, as for engine.wake_turns. The last row has no chunk: `is_more` says
-- that accounts wait still, `missed` names those of p_ended that were locked; pass them again.
-- It does not wait for the disk: a crash of Postgres loses what it gave, and the fence refuses what is done with it.
CREATE FUNCTION engine.take_chunks(
  p_queue text, p_worker text, p_slots integer, p_level integer, p_lease_ms integer, p_ended jsonb
) RETURNS TABLE (chunk engine.taken_chunk, is_more boolean, missed text[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  v_floor constant double precision := engine.turn_floor(p_queue);
  v_token constant bigint := floor(random() * 9e15)::bigint;
  v_left integer := p_slots;
  v_turns gleaner.turns[];
  v_turn gleaner.turns;
  v_taken record;
  v_busy text[] := '{}';
  v_missed constant text[] := ARRAY(SELECT engine.wake_turns(p_queue, p_ended));
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WHILE v_left > 0 LOOP
    v_turns := ARRAY(SELECT l.turn FROM (
      SELECT t AS turn FROM gleaner.turns t
      WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= v_floor AND t.account_id <> ALL (v_busy)
      ORDER BY t.served LIMIT ceil(v_left::numeric / engine.chunk_slots(p_queue)) FOR NO KEY UPDATE SKIP LOCKED
    ) l);
    EXIT WHEN cardinality(v_turns) = 0;
    -- The leader looks twice a second, and turns may be ready only for a moment.
    IF cardinality(v_busy) = 0 AND v_turns[1].served > engine.turn_start(p_queue) + 1000 THEN
      PERFORM engine.publish(format('gleaner.turn_start_%s', substr(p_queue, 7))::regclass, v_turns[1].served::bigint);
    END IF;
    FOREACH v_turn IN ARRAY v_turns LOOP
      EXIT WHEN v_left <= 0;
      IF p_queue <> 'batch-http' THEN
        PERFORM 1 FROM gleaner.turns t WHERE t.account_id = v_turn.account_id AND t.queue = 'batch-http'
        ORDER BY t.tick DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
          v_busy := v_busy || v_turn.account_id;
          CONTINUE;
        END IF;
      END IF;
      SELECT * INTO v_taken FROM engine.take_chunk(v_turn, p_worker, v_left, p_level, p_lease_ms, v_token);
      IF v_taken.state = 'busy' THEN v_busy := v_busy || v_turn.account_id; END IF;
      IF (v_taken.taken).run_no IS NOT NULL THEN
        v_left := v_left - (v_taken.taken).slots;
        chunk := v_taken.taken;
        RETURN NEXT;
      END IF;
    END LOOP;
  END LOOP;
  chunk := NULL;
  missed := v_missed;
  is_more := cardinality(v_busy) > 0 OR EXISTS (
    SELECT 1 FROM gleaner.turns t WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= v_floor LIMIT 1);
  RETURN NEXT;
END
$$;

-- Whether accounts wait for their turn.
CREATE FUNCTION engine.has_turns(p_queue text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM gleaner.turns t
    WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= engine.turn_floor(p_queue) LIMIT 1);
END
$$;

-- The leader's round, for one queue: makes turns ready whose retry is due, and publishes start, share and floor. Returns
-- the start, which is the p_floor of a later round. p_within: how long ago retries became due at most; a look that goes back
-- for a minute does not read what a long transaction keeps.
CREATE FUNCTION engine.run_turns(p_queue text, p_within interval, p_floor double precision) RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
  v_ready record;
  v_slots bigint;
  v_start bigint;
  v_due jsonb;
BEGIN
  SELECT jsonb_agg(jsonb_build_object('account', d.account_id, 'ms', 0, 'isMore', true)) INTO v_due FROM (
    SELECT t.account_id FROM gleaner.turns t
    WHERE t.due_at <= clock_timestamp() AND t.due_at > clock_timestamp() - p_within AND t.queue = p_queue
      AND t.state = 'idle'
    LIMIT 10000) d;
  PERFORM engine.wake_turns(p_queue, v_due);
  SELECT count(*) AS accounts, min(t.served) AS lowest INTO v_ready FROM gleaner.turns t
  WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= engine.turn_floor(p_queue);
  SELECT coalesce(sum(coalesce(CASE p_queue WHEN 'batch-http' THEN w.http_capacity ELSE w.browser_capacity END, 1)), 0)
  INTO v_slots
  FROM gleaner.workers w
  WHERE w.seen_at > clock_timestamp() - interval '3 s' AND w.refuses IS NULL
    AND CASE p_queue WHEN 'batch-http' THEN 'http' ELSE 'browser' END = ANY (w.engines);
  -- While nobody waits, all have what they may: who comes now goes on where the most served one stands.
  v_start := greatest(floor(coalesce(v_ready.lowest, (
    SELECT max(t.served) FROM gleaner.turns t WHERE t.queue = p_queue AND t.state = 'full'), 0)),
    engine.turn_start(p_queue))::bigint;
  PERFORM engine.publish(format('gleaner.turn_%s_%s', p.name, substr(p_queue, 7))::regclass, p.value)
  FROM (VALUES ('start', v_start),
    ('floor', greatest(floor(least(p_floor, v_ready.lowest)), engine.turn_floor(p_queue))::bigint), (
    'share', CASE WHEN v_slots = 0 THEN 0 WHEN v_ready.accounts = 0 THEN 1000000
      ELSE least(1000 * v_slots / v_ready.accounts, 1000000) END)) p (name, value);
  RETURN v_start;
END
$$;

-- Sets a sequence, and writes nothing when it has the value.
CREATE FUNCTION engine.publish(p_sequence regclass, p_value bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_value bigint;
BEGIN
  EXECUTE format('SELECT last_value FROM %s', p_sequence) INTO v_value;
  IF v_value <> p_value THEN PERFORM setval(p_sequence, p_value); END IF;
END
$$;

-- Accounts with work whose turn does not say so: a process ended before it woke them, or a request gave its slot back. It
-- also finds turns below the floor, and requests that wait although a slot is free. Reads only, one index entry for each
-- account and queue with work; engine.wake_lost wakes each.
CREATE FUNCTION engine.lost_turns() RETURNS TABLE (account_id text, queue text)
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE open (account_id, queue) AS (
    (SELECT r.account_id, r.queue FROM gleaner.runs r WHERE r.is_open ORDER BY r.account_id, r.queue LIMIT 1)
    UNION ALL
    SELECT n.account_id, n.queue FROM open o CROSS JOIN LATERAL (
      SELECT r.account_id, r.queue FROM gleaner.runs r
      WHERE r.is_open AND (r.account_id, r.queue) > (o.account_id, o.queue) ORDER BY r.account_id, r.queue LIMIT 1
    ) n
  ), retried (account_id, queue, not_before) AS (
    (SELECT c.account_id, c.queue, c.not_before FROM gleaner.chunks c WHERE c.state = 'pending' AND c.deaths <= 2
     ORDER BY c.account_id, c.queue, c.not_before LIMIT 1)
    UNION ALL
    SELECT n.account_id, n.queue, n.not_before FROM retried o CROSS JOIN LATERAL (
      SELECT c.account_id, c.queue, c.not_before FROM gleaner.chunks c
      WHERE c.state = 'pending' AND c.deaths <= 2 AND (c.account_id, c.queue) > (o.account_id, o.queue)
      ORDER BY c.account_id, c.queue, c.not_before LIMIT 1
    ) n
  ), used AS MATERIALIZED (
    SELECT u.account_id, sum(u.slots) AS slots FROM (
      SELECT c.account_id, c.slots FROM gleaner.chunks c WHERE c.state <> 'pending' AND c.lease_until > clock_timestamp()
      UNION ALL
      SELECT q.account_id, 1 FROM gleaner.requests q
      WHERE q.state IN ('queued', 'running') AND q.lease_until > clock_timestamp()
    ) u GROUP BY u.account_id
  ), wanted AS MATERIALIZED (
    SELECT o.account_id, o.queue FROM open o
    UNION SELECT c.account_id, c.queue FROM retried c WHERE c.not_before <= clock_timestamp()
    UNION SELECT c.account_id, c.queue FROM gleaner.chunks c
      WHERE c.state = 'pending' AND c.deaths > 2 AND c.not_before <= clock_timestamp()
    UNION SELECT q.account_id, 'requests' FROM gleaner.requests q
      WHERE q.state = 'waiting' AND q.lease_until > clock_timestamp()
  )
  SELECT w.account_id, w.queue FROM wanted w JOIN gleaner.accounts a ON a.id = w.account_id
  LEFT JOIN gleaner.turns t ON t.account_id = w.account_id AND t.queue = w.queue
  LEFT JOIN used u ON u.account_id = w.account_id
  WHERE a.is_active AND CASE w.queue
    WHEN 'requests' THEN coalesce(u.slots, 0) < a.concurrency
    ELSE t.account_id IS NULL OR t.state = 'idle'
      -- A quarter of the slots: an account at its limit leaves a few of them free for a moment.
      OR (t.state = 'full' AND coalesce(u.slots, 0) * 4 <= a.concurrency * 3)
      OR (t.state = 'ready' AND t.served < engine.turn_floor(t.queue)) END
  LIMIT 1000
$$;

-- Does for one of engine.lost_turns what others missed. An account that others hold is left for the next round.
CREATE FUNCTION engine.wake_lost(p_account text, p_queue text) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT engine.lock_account(p_account, true) THEN RETURN; END IF;
  IF p_queue = 'requests' THEN
    RETURN QUERY SELECT * FROM engine.admit(p_account);
    RETURN;
  END IF;
  UPDATE gleaner.turns t SET state = 'idle', run_floor = 0, chunk_floor = 0, tick = t.tick + 1
  WHERE t.account_id = p_account AND t.queue = p_queue;
  RETURN QUERY SELECT * FROM engine.wake_turn(p_account, p_queue);
END
$$;
