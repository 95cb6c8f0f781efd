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

-- A number that the leader publishes for a queue (engine.run_turns). start: where a turn goes on that becomes ready, which
-- is where the least served of those that wait stands. floor: no ready account was served less; an earlier start, since a
-- transaction that wakes a turn may be under way. share: the slot-milliseconds of one turn, with which a round of all waiting
-- accounts takes about a second; 0 while no worker serves the queue.
CREATE FUNCTION engine.turn_number(p_name text, p_queue text) RETURNS double precision
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(
    pg_sequence_last_value(format('gleaner.turn_%s_%s', p_name, substr(p_queue, 7))::regclass),
    CASE p_name WHEN 'share' THEN 1000000 ELSE 0 END);
END
$$;

-- Publishes such a number. Writes nothing when it is the present one.
CREATE FUNCTION engine.publish(p_name text, p_queue text, p_value double precision) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF engine.turn_number(p_name, p_queue) <> p_value THEN
    PERFORM setval(format('gleaner.turn_%s_%s', p_name, substr(p_queue, 7))::regclass, p_value::bigint);
  END IF;
END
$$;

CREATE FUNCTION engine.other_queue(p_queue text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE p_queue WHEN 'batch-http' THEN 'batch-browser' ELSE 'batch-http' END $$;

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
    SELECT p_account, q.queue, CASE q.queue WHEN p_queue THEN 'ready' ELSE 'idle' END, engine.turn_number('start', q.queue)
    FROM (VALUES ('batch-http'), ('batch-browser')) q (queue);
  ELSIF v_row.state = 'ready' THEN
    RETURN;
  ELSE
    UPDATE gleaner.turns t SET state = 'ready', due_at = NULL, tick = t.tick + 1,
      served = greatest(t.served, engine.turn_number('start', p_queue))
    WHERE t.ctid = v_row.at;
  END IF;
  RETURN NEXT ROW('turn', p_queue, NULL, NULL, NULL, NULL, NULL)::engine.delivery;
END
$$;

-- `at` is null when somebody else holds the turn, or when there is none.
CREATE TYPE engine.woken_turn AS (account_id text, at tid, ms double precision, is_more boolean, is_own boolean);

-- Makes turns ready that may be full no longer, and corrects what they were charged by what they had. It waits for no
-- lock and returns the accounts that somebody else holds. p_ended: [{account, ms, isMore}]; with isMore an idle turn
-- becomes ready, too. The other queue may use the slots as well.
CREATE FUNCTION engine.wake_turns(p_queue text, p_ended jsonb) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  v_start constant double precision := engine.turn_number('start', p_queue);
  v_other constant text := engine.other_queue(p_queue);
  v_turns engine.woken_turn[];
  v_missed text[];
BEGIN
  IF coalesce(jsonb_array_length(p_ended), 0) = 0 THEN RETURN '{}'; END IF;
  v_turns := ARRAY(
    SELECT ROW(e.account, l.at, e.ms, e.is_more, q.queue = p_queue)::engine.woken_turn
    FROM (
      SELECT r.account, sum(r.ms) AS ms, bool_or(r."isMore") AS is_more
      FROM jsonb_to_recordset(p_ended) r (account text, ms double precision, "isMore" boolean) GROUP BY r.account
    ) e CROSS JOIN (VALUES (p_queue), (v_other)) q (queue) LEFT JOIN LATERAL (
      SELECT t.ctid AS at FROM gleaner.turns t
      WHERE t.account_id = e.account AND t.queue = q.queue AND (t.queue = p_queue OR t.state = 'full')
      ORDER BY t.tick DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) l ON true);
  WITH woken AS (
    UPDATE gleaner.turns t SET tick = t.tick + 1,
      served = CASE WHEN w.is_own THEN greatest(t.served + w.ms, v_start)
        ELSE greatest(t.served, engine.turn_number('start', v_other)) END,
      state = CASE WHEN t.state = 'full' OR (w.is_own AND w.is_more) THEN 'ready' ELSE t.state END,
      due_at = CASE WHEN w.is_own AND w.is_more THEN NULL ELSE t.due_at END
    FROM unnest(v_turns) w WHERE t.ctid = w.at
  )
  SELECT array_agg(w.account_id) INTO v_missed FROM unnest(v_turns) w WHERE w.is_own AND w.at IS NULL;
  IF v_missed IS NULL THEN RETURN '{}'; END IF;
  -- An account without a turn has nothing to wake.
  RETURN ARRAY(
    SELECT m FROM unnest(v_missed) m
    WHERE EXISTS (SELECT 1 FROM gleaner.turns t WHERE t.account_id = m AND t.queue = p_queue));
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
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_task constant real := engine.task_ms(p_queue, p_task_ms);
  v_size constant double precision := CASE
    WHEN p_queue = 'batch-browser' THEN ceil(3000 * p_slots / v_task)
    WHEN p_task_ms IS NULL THEN p_slots * 4
    ELSE p_slots * greatest(ceil(1500 / v_task), least(3, floor(4000 / v_task))) END;
BEGIN
  RETURN least(
    greatest(least(v_size, CASE WHEN p_turn_ms < 1500 THEN p_slots * floor(p_turn_ms / v_task) END), p_slots),
    CASE p_queue WHEN 'batch-browser' THEN 20 ELSE 1000 END);
END
$$;

-- Whether a chunk runs while no other of its account does that may have killed workers, too. It is inlined, so that the indexes
-- of chunks that wait (chunks_due, chunks_lone) are found.
CREATE FUNCTION engine.is_lone(p_deaths smallint) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT p_deaths > 2 $$;

CREATE TYPE engine.due_chunk AS (run_no bigint, chunk integer, last_served bigint);

-- The due chunk of one queue to take next: of the run that was served longest ago. It looks at the chunks that have
-- waited longest and at those given back last, so that thousands of chunks of one run, retried at once, do not hide
-- a chunk of another run. p_may_be_lone admits lone chunks.
CREATE FUNCTION engine.next_due_chunk(p_account text, p_queue text, p_now timestamptz, p_may_be_lone boolean)
RETURNS SETOF engine.due_chunk
LANGUAGE sql STABLE AS $$
  SELECT d.run_no, d.chunk, r.last_served
  FROM (
    (SELECT c.run_no, c.chunk, c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND NOT engine.is_lone(c.deaths)
       AND c.not_before <= p_now ORDER BY c.not_before LIMIT 32)
    UNION ALL
    (SELECT c.run_no, c.chunk, c.not_before FROM gleaner.chunks c
     WHERE c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND NOT engine.is_lone(c.deaths)
       AND c.not_before <= p_now ORDER BY c.not_before DESC LIMIT 32)
    UNION ALL
    (SELECT c.run_no, c.chunk, c.not_before FROM gleaner.chunks c
     WHERE p_may_be_lone AND c.account_id = p_account AND c.queue = p_queue AND c.state = 'pending' AND engine.is_lone(c.deaths)
       AND c.not_before <= p_now ORDER BY c.not_before LIMIT 32)
  ) d JOIN gleaner.runs r ON r.no = d.run_no
  ORDER BY r.last_served, d.not_before, d.chunk LIMIT 1
$$;

-- What a worker needs of a chunk. `seqs` is null when the tasks are from_seq, from_seq + 1, …; `inputs` has one line for
-- each task; charge: slot-milliseconds that its account's turn was charged.
CREATE TYPE engine.taken_chunk AS (
  run_no bigint, chunk integer, attempt integer, token text, account_id text, run_id text, slots integer, tries integer, way integer,
  from_seq integer, last_seq integer, charge real, seqs text, inputs text
);

-- What a locked turn takes next, or why it takes nothing: `state` full | idle, else null.
CREATE TYPE engine.turn_plan AS (
  turn gleaner.turns, state text,
  -- Free slots of the account; those that are kept for its other queue when that has a run that was served earlier.
  room integer, kept_room integer,
  -- The run that was served longest ago, and its chunk when one is due; is_shared: other runs of the account wait too.
  run_no bigint, due_chunk integer, is_shared boolean,
  run_floor bigint, chunk_floor bigint, due_at timestamptz
);

-- Plans the next chunk of each turn. The caller has locked the turns; runs are not locked yet.
CREATE FUNCTION engine.plan_turns(p_queue text, p_turns gleaner.turns[]) RETURNS engine.turn_plan[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_now constant timestamptz := clock_timestamp();
  v_highest constant bigint := engine.microseconds_now() - 2000000;
  v_slots constant integer := engine.chunk_slots(p_queue);
  v_other constant text := engine.other_queue(p_queue);
  v_has_other constant boolean := engine.turn_number('share', v_other) > 0;
BEGIN
  RETURN ARRAY(
    SELECT ROW(
      t, CASE WHEN b.state IS NOT NULL THEN b.state WHEN coalesce(d.run_no, o.run_no) IS NULL THEN 'idle' END, b.room,
      CASE WHEN v_has_other AND x.last_served < coalesce(d.last_served, o.last_served)
        THEN greatest(greatest(a.concurrency / 4, 1) - (live.used - live.own), 0) ELSE 0 END,
      coalesce(d.run_no, o.run_no), d.chunk, o.runs > 1 OR d.run_no <> o.run_no OR x.last_served IS NOT NULL,
      greatest(t.run_floor, least(o.last_served, v_highest)), live.floor, w.due_at)::engine.turn_plan
    FROM unnest(p_turns) t
    CROSS JOIN LATERAL (
      SELECT n.is_active, n.concurrency FROM gleaner.accounts n WHERE n.latest_of = t.account_id
      ORDER BY n.generation DESC LIMIT 1
    ) a
    CROSS JOIN LATERAL (
      SELECT CASE p_queue WHEN 'batch-http' THEN t.chunk_floor ELSE engine.chunk_floor(t.account_id) END AS chunk_floor
    ) f
    CROSS JOIN LATERAL (
      SELECT count(*) AS chunks, coalesce(sum(c.slots), 0)::int AS slots,
        coalesce(sum(c.slots) FILTER (WHERE c.lease_until > v_now), 0)::int AS used,
        coalesce(sum(c.slots) FILTER (WHERE c.lease_until > v_now AND c.queue = p_queue), 0)::int AS own,
        coalesce(bool_or(engine.is_lone(c.deaths)), false) AS has_lone, least(min(c.seen_at), v_highest) AS floor
      FROM gleaner.chunks c
      WHERE c.account_id = t.account_id AND c.state <> 'pending' AND c.seen_at >= f.chunk_floor
    ) live
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE q.state <> 'waiting')::int AS slots, count(*) FILTER (WHERE q.state = 'waiting') AS waiting
      FROM gleaner.requests q
      WHERE q.account_id = t.account_id AND q.state IN ('waiting', 'queued', 'running') AND q.lease_until > v_now
    ) requests
    CROSS JOIN LATERAL (
      SELECT r.room, CASE
        WHEN NOT a.is_active THEN 'idle'
        -- The ends of so many chunks soon free further slots. Without this, chunks would fall apart into ever smaller
        -- ones. At most a sixteenth of the account's slots stay free.
        WHEN r.room < least(1 + live.chunks / 4, 1 + live.slots / 16, v_slots) THEN 'full'
        -- Interactive requests come first.
        WHEN requests.waiting > 0 THEN 'full' END AS state
      FROM (SELECT a.concurrency - live.used - requests.slots AS room) r
    ) b
    CROSS JOIN LATERAL (
      SELECT min(n.not_before) AS due_at FROM (
        (SELECT c.not_before FROM gleaner.chunks c
         WHERE c.account_id = t.account_id AND c.queue = p_queue AND c.state = 'pending' AND NOT engine.is_lone(c.deaths)
         ORDER BY c.not_before LIMIT 1)
        UNION ALL
        (SELECT c.not_before FROM gleaner.chunks c
         WHERE c.account_id = t.account_id AND c.queue = p_queue AND c.state = 'pending' AND engine.is_lone(c.deaths)
         ORDER BY c.not_before LIMIT 1)
      ) n
    ) w
    CROSS JOIN LATERAL (
      SELECT (array_agg(r.no))[1] AS run_no, min(r.last_served) AS last_served, count(*) AS runs FROM (
        SELECT n.no, n.last_served FROM gleaner.runs n
        WHERE n.account_id = t.account_id AND n.queue = p_queue AND n.is_open AND n.last_served >= t.run_floor
        ORDER BY n.last_served LIMIT 2
      ) r
    ) o
    LEFT JOIN LATERAL (
      SELECT * FROM engine.next_due_chunk(t.account_id, p_queue, v_now, NOT live.has_lone) n
      WHERE w.due_at <= v_now AND (o.run_no IS NULL OR n.last_served <= o.last_served)
    ) d ON b.state IS NULL
    LEFT JOIN LATERAL (
      SELECT n.last_served FROM gleaner.runs n
      WHERE v_has_other AND n.account_id = t.account_id AND n.queue = v_other AND n.is_open
        AND n.last_served >= engine.run_floor(t.account_id, v_other)
      ORDER BY n.last_served LIMIT 1
    ) x ON b.state IS NULL);
END
$$;

-- What a turn took. state: ready | full | idle, or busy: somebody else holds a row that it needs, or the run needs a worker
-- of a higher level.
CREATE TYPE engine.turn_result AS (account_id text, state text, root_no bigint, taken engine.taken_chunk);

-- Takes the planned chunks for a worker of p_level with p_slots free slots, at most p_each for one chunk.
CREATE FUNCTION engine.take_planned(
  p_plans engine.turn_plan[], p_worker text, p_slots integer, p_each integer, p_level integer, p_lease_ms integer,
  p_token bigint
) RETURNS engine.turn_result[]
LANGUAGE plpgsql AS $$
DECLARE
  v_now constant timestamptz := clock_timestamp();
  v_queue constant text := (p_plans[1].turn).queue;
  v_share constant double precision := coalesce(nullif(engine.turn_number('share', v_queue), 0), 1000000);
  -- A statement of its own: the next one sees the runs as they are under these locks.
  v_runs constant bigint[] := ARRAY(
    SELECT l.no FROM unnest(p_plans) p CROSS JOIN LATERAL (
      SELECT r.no FROM gleaner.runs r WHERE r.no = p.run_no AND p.state IS NULL LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) l);
  v_results engine.turn_result[];
BEGIN
  WITH planned AS MATERIALIZED (
    SELECT p.*, (p.turn).account_id AS account_id, t.at AS turn_at, r.at AS run_at, d.at AS chunk_at,
      r.id, r.root_no, r.carved, r.next_chunk, r.task_ms, p.room - p.kept_room AS own_room,
      -- Pages that keep a pace come one after another.
      CASE WHEN r.config ? 'hostDelaySeconds' THEN 1 ELSE p_each END AS each,
      -- Never more under way than may still be charged.
      least(r.total - r.carved, r.budget - r.succeeded - r.held) AS left_over,
      CASE WHEN p.state IS NOT NULL THEN p.state
        WHEN r.no IS NULL OR (r.config ->> 'needs')::int > p_level OR r.state NOT IN ('pending', 'running')
          OR (p.due_chunk IS NULL AND NOT r.is_open) THEN 'busy'
        WHEN p.room <= p.kept_room THEN 'full' END AS refusal
    FROM unnest(p_plans) WITH ORDINALITY
      p (turn, state, room, kept_room, run_no, due_chunk, is_shared, run_floor, chunk_floor, due_at, place)
    CROSS JOIN LATERAL (
      SELECT n.ctid AS at FROM gleaner.turns n
      WHERE n.account_id = (p.turn).account_id AND n.queue = v_queue AND n.tick = (p.turn).tick LIMIT 1
    ) t
    LEFT JOIN LATERAL (
      SELECT n.ctid AS at, n.no, n.id, n.root_no, n.carved, n.next_chunk, n.task_ms, n.total, n.budget, n.succeeded, n.held,
        n.config, n.state, n.is_open
      FROM gleaner.runs n WHERE n.no = p.run_no AND n.no = ANY (v_runs) LIMIT 1
    ) r ON true
    LEFT JOIN LATERAL (
      SELECT n.ctid AS at FROM gleaner.chunks n WHERE n.run_no = p.run_no AND n.chunk = p.due_chunk LIMIT 1) d ON true
  ), shared AS (
    SELECT p.*, least(w.wanted, p_slots - coalesce(sum(w.wanted) OVER earlier, 0))::int AS slots
    FROM planned p CROSS JOIN LATERAL (SELECT least(p.own_room, p.each) AS wanted) w
    WHERE p.refusal IS NULL
    WINDOW earlier AS (ORDER BY p.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ), sized AS MATERIALIZED (
    SELECT s.*, least(
      engine.chunk_size(v_queue, s.slots, s.task_ms, (v_share / s.slots)::bigint),
      -- The rest of a small run is spread over all free slots: a task for each slot of the chunk at least.
      greatest(ceil(s.left_over::numeric / ceil(least(s.own_room, p_slots)::numeric / s.slots))::int, s.slots), s.left_over) AS size
    FROM shared s
  ), due AS (
    UPDATE gleaner.chunks c SET state = 'running', attempt = c.attempt + 1, starts = c.starts + 1, token = p_token,
      worker_id = p_worker, slots = least(s.slots, c.remaining), lease_until = v_now + p_lease_ms * interval '1 ms'
    FROM sized s WHERE c.ctid = s.chunk_at AND c.state = 'pending'
    RETURNING c AS chunk
  ), fresh AS (
    INSERT INTO gleaner.chunks AS c (run_no, chunk, account_id, queue, state, attempt, starts, token, worker_id, slots,
      from_seq, to_seq, remaining, lease_until)
    SELECT s.run_no, s.next_chunk, s.account_id, v_queue, 'running', 1, 1, p_token, p_worker, least(s.slots, s.size),
      s.carved, s.carved + s.size, s.size, v_now + p_lease_ms * interval '1 ms'
    FROM sized s WHERE s.due_chunk IS NULL
    RETURNING c AS chunk
  ), taken AS MATERIALIZED (
    SELECT (u.chunk).run_no AS run_no, u.chunk FROM (SELECT * FROM due UNION ALL SELECT * FROM fresh) u
  ), served AS (
    UPDATE gleaner.runs r SET
      -- The order of an account's only run says nothing, and a run that keeps its place costs no entry of an index.
      last_served = CASE WHEN s.is_shared THEN engine.microseconds_now() ELSE r.last_served END,
      carved = CASE WHEN s.due_chunk IS NULL THEN r.carved + s.size ELSE r.carved END,
      held = CASE WHEN s.due_chunk IS NULL THEN r.held + s.size ELSE r.held END,
      next_chunk = r.next_chunk + (s.due_chunk IS NULL)::int, state = 'running', started_at = coalesce(r.started_at, v_now)
    FROM sized s JOIN taken k ON k.run_no = s.run_no WHERE r.ctid = s.run_at
  ), results AS MATERIALIZED (
    SELECT p.*, k.chunk, engine.task_ms(v_queue, p.task_ms) * (k.chunk).remaining AS charge,
      CASE WHEN k.run_no IS NOT NULL THEN CASE WHEN p.own_room > (k.chunk).slots THEN 'ready' ELSE 'full' END
        -- The end of its run removed the due chunk.
        ELSE coalesce(p.refusal, 'busy') END AS result
    FROM planned p LEFT JOIN taken k ON k.run_no = p.run_no
  ), turned AS (
    UPDATE gleaner.turns t SET tick = t.tick + 1, state = r.result, served = t.served + coalesce(r.charge, 0),
      run_floor = r.run_floor,
      -- Something else keeps a chunk that is due already: its run's sink, or a lone chunk.
      due_at = CASE WHEN r.result = 'idle' AND r.due_at IS NOT NULL THEN greatest(r.due_at, v_now + interval '1 s') END,
      chunk_floor = CASE v_queue WHEN 'batch-http' THEN r.chunk_floor ELSE t.chunk_floor END
    FROM results r WHERE t.ctid = r.turn_at AND r.result <> 'busy'
  )
  SELECT array_agg(ROW(r.account_id, r.result, r.root_no, CASE WHEN (r.chunk).run_no IS NOT NULL THEN ROW(
      r.run_no, (r.chunk).chunk, (r.chunk).attempt, (r.chunk).token::text, r.account_id, r.id, (r.chunk).slots,
      (r.chunk).tries, (r.chunk).way, (r.chunk).from_seq, (r.chunk).to_seq - 1, r.charge, i.seqs, i.inputs)::engine.taken_chunk END
    )::engine.turn_result)
  INTO v_results FROM results r
  CROSS JOIN LATERAL (SELECT (r.chunk).attempt = 1 AND (r.chunk).seqs IS NULL AS is_whole) w
  LEFT JOIN LATERAL (
    SELECT string_agg(CASE WHEN NOT w.is_whole THEN t.seq::text END, ',' ORDER BY t.seq) AS seqs,
      string_agg(t.input, E'\n' ORDER BY t.seq) AS inputs
    FROM gleaner.tasks t
    WHERE t.run_no = (r.chunk).run_no AND t.seq >= (r.chunk).from_seq AND t.seq < (r.chunk).to_seq
      -- The rest of a chunk that others had.
      AND (w.is_whole OR (((r.chunk).seqs IS NULL OR t.seq = ANY ((r.chunk).seqs)) AND NOT EXISTS (
        SELECT 1 FROM gleaner.results o WHERE o.run_no = t.run_no AND o.seq = t.seq)))
  ) i ON (r.chunk).run_no IS NOT NULL;
  -- stages hook
  PERFORM engine.share_turn((r.taken).run_no) FROM unnest(v_results) r
  WHERE r.root_no IS NOT NULL AND (r.taken).run_no IS NOT NULL;
  RETURN v_results;
END
$$;

-- Takes chunks for a worker that has so many free slots, of the accounts that were served least. p_ended: accounts of
-- which this worker freed slots since its last call, as for engine.wake_turns. The last row has no chunk: `is_more` says
-- that accounts wait still, `missed` names those of p_ended that were locked; pass them again.
-- It does not wait for the disk: a crash of Postgres loses what it gave, and the fence refuses what is done with it.
CREATE FUNCTION engine.take_chunks(
  p_queue text, p_worker text, p_slots integer, p_level integer, p_lease_ms integer, p_ended jsonb
) RETURNS TABLE (chunk engine.taken_chunk, is_more boolean, missed text[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_floor constant double precision := engine.turn_number('floor', p_queue);
  v_token constant bigint := floor(random() * 9e15)::bigint;
  -- How many slots a chunk may have: a turn has one share, and one slot at least.
  v_each constant integer := least(engine.chunk_slots(p_queue), greatest(
    floor(coalesce(nullif(engine.turn_number('share', p_queue), 0), 1000000) / 1000), 1));
  v_left integer := p_slots;
  v_turns gleaner.turns[];
  v_results engine.turn_result[];
  v_busy text[] := '{}';
  v_missed constant text[] := engine.wake_turns(p_queue, p_ended);
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WHILE v_left > 0 LOOP
    v_turns := ARRAY(SELECT l.turn FROM (
      SELECT t AS turn FROM gleaner.turns t
      WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= v_floor AND t.account_id <> ALL (v_busy)
      ORDER BY t.served LIMIT ceil(v_left::numeric / v_each) FOR NO KEY UPDATE SKIP LOCKED
    ) l);
    EXIT WHEN cardinality(v_turns) = 0;
    -- The leader looks twice a second, and turns may be ready only for a moment.
    IF cardinality(v_busy) = 0 AND v_turns[1].served > engine.turn_number('start', p_queue) + 1000 THEN
      PERFORM engine.publish('start', p_queue, floor(v_turns[1].served));
    END IF;
    IF p_queue <> 'batch-http' THEN
      -- The turn of batch-http guards the slots of an account in all queues.
      v_busy := v_busy || ARRAY(
        SELECT t.account_id FROM unnest(v_turns) t WHERE NOT EXISTS (
          SELECT 1 FROM (SELECT 1 FROM gleaner.turns h WHERE h.account_id = t.account_id AND h.queue = 'batch-http'
            ORDER BY h.tick DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) l));
      v_turns := ARRAY(SELECT t FROM unnest(v_turns) t WHERE t.account_id <> ALL (v_busy));
      CONTINUE WHEN cardinality(v_turns) = 0;
    END IF;
    v_results := engine.take_planned(
      engine.plan_turns(p_queue, v_turns), p_worker, v_left, v_each, p_level, p_lease_ms, v_token);
    SELECT v_busy || coalesce(array_agg(r.account_id) FILTER (WHERE r.state = 'busy'), '{}'),
      v_left - coalesce(sum((r.taken).slots), 0)
    INTO v_busy, v_left FROM unnest(v_results) r;
    RETURN QUERY SELECT r.taken, NULL::boolean, NULL::text[] FROM unnest(v_results) r WHERE (r.taken).run_no IS NOT NULL;
  END LOOP;
  RETURN QUERY SELECT NULL::engine.taken_chunk, cardinality(v_busy) > 0 OR engine.has_turns(p_queue), v_missed;
END
$$;

-- Whether accounts wait for their turn.
CREATE FUNCTION engine.has_turns(p_queue text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM gleaner.turns t
    WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= engine.turn_number('floor', p_queue) LIMIT 1);
END
$$;

-- The leader's round, for one queue: makes turns ready whose retry is due, and publishes start, share and floor. Returns
-- the start, which is the p_floor of a later round, and whether it found retries. p_within: how long ago retries became due
-- at most; a look that goes back for a minute does not read what a long transaction keeps.
CREATE FUNCTION engine.run_turns(
  p_queue text, p_within interval, p_floor double precision, OUT start double precision, OUT has_due boolean
)
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
  WHERE t.queue = p_queue AND t.state = 'ready' AND t.served >= engine.turn_number('floor', p_queue);
  SELECT coalesce(sum(coalesce(CASE p_queue WHEN 'batch-http' THEN w.http_capacity ELSE w.browser_capacity END, 1)), 0)
  INTO v_slots
  FROM gleaner.workers w
  WHERE w.seen_at > clock_timestamp() - interval '3 s' AND w.refuses IS NULL
    AND CASE p_queue WHEN 'batch-http' THEN 'http' ELSE 'browser' END = ANY (w.engines);
  -- While nobody waits, all have what they may: who comes now goes on where the most served one stands.
  v_start := greatest(floor(coalesce(v_ready.lowest, (
    SELECT max(t.served) FROM gleaner.turns t WHERE t.queue = p_queue AND t.state = 'full'), 0)),
    engine.turn_number('start', p_queue))::bigint;
  PERFORM engine.publish('start', p_queue, v_start);
  PERFORM engine.publish('floor', p_queue,
    greatest(floor(least(p_floor, v_ready.lowest)), engine.turn_number('floor', p_queue)));
  PERFORM engine.publish('share', p_queue, CASE WHEN v_slots = 0 THEN 0 WHEN v_ready.accounts = 0 THEN 1000000
    ELSE least(1000 * v_slots / v_ready.accounts, 1000000) END);
  start := v_start;
  has_due := v_due IS NOT NULL;
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
    (SELECT c.account_id, c.queue, c.not_before FROM gleaner.chunks c WHERE c.state = 'pending' AND NOT engine.is_lone(c.deaths)
     ORDER BY c.account_id, c.queue, c.not_before LIMIT 1)
    UNION ALL
    SELECT n.account_id, n.queue, n.not_before FROM retried o CROSS JOIN LATERAL (
      SELECT c.account_id, c.queue, c.not_before FROM gleaner.chunks c
      WHERE c.state = 'pending' AND NOT engine.is_lone(c.deaths) AND (c.account_id, c.queue) > (o.account_id, o.queue)
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
      WHERE c.state = 'pending' AND engine.is_lone(c.deaths) AND c.not_before <= clock_timestamp()
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
      OR (t.state = 'ready' AND t.served < engine.turn_number('floor', t.queue)) END
  LIMIT 1000
$$;

-- Does for one of engine.lost_turns what others missed. An account that others hold is left for the next round.
CREATE FUNCTION engine.wake_lost(p_account text, p_queue text) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
BEGIN
  IF engine.lock_accounts(ARRAY[p_account], NULL) = '{}' THEN RETURN; END IF;
  IF p_queue = 'requests' THEN
    RETURN QUERY SELECT * FROM engine.admit(p_account);
    RETURN;
  END IF;
  UPDATE gleaner.turns t SET state = 'idle', run_floor = 0, chunk_floor = 0, tick = t.tick + 1
  WHERE t.account_id = p_account AND t.queue = p_queue;
  RETURN QUERY SELECT * FROM engine.wake_turn(p_account, p_queue);
END
$$;
