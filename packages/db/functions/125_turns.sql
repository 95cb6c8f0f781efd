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
  from_seq integer, last_seq integer, charge real, seqs text, inputs text, redirected jsonb, is_untried boolean
);

-- What an account has under way: its running chunks and their slots, with those whose lease ran out and which nobody has
-- taken back yet; slots in use, of all queues and of this one.
CREATE FUNCTION engine.load_of(p_account text, p_queue text, p_now timestamptz, p_floor bigint)
RETURNS TABLE (chunks bigint, slots integer, used integer, used_here integer, has_lone boolean, floor bigint)
LANGUAGE sql STABLE AS $$
  SELECT count(*), coalesce(sum(live.slots), 0)::int,
    coalesce(sum(live.slots) FILTER (WHERE live.lease_until > p_now), 0)::int,
    coalesce(sum(live.slots) FILTER (WHERE live.lease_until > p_now AND live.queue = p_queue), 0)::int,
    coalesce(bool_or(engine.is_lone(live.deaths)), false), min(live.seen_at)
  FROM gleaner.chunks live
  WHERE live.account_id = p_account AND live.state <> 'pending' AND live.seen_at >= p_floor
$$;

-- When the first chunk that waits is due.
CREATE FUNCTION engine.first_due(p_account text, p_queue text) RETURNS TABLE (due_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT min(first.not_before) FROM (
    (SELECT waiting.not_before FROM gleaner.chunks waiting
     WHERE waiting.account_id = p_account AND waiting.queue = p_queue AND waiting.state = 'pending'
       AND NOT engine.is_lone(waiting.deaths) ORDER BY waiting.not_before LIMIT 1)
    UNION ALL
    (SELECT waiting.not_before FROM gleaner.chunks waiting
     WHERE waiting.account_id = p_account AND waiting.queue = p_queue AND waiting.state = 'pending'
       AND engine.is_lone(waiting.deaths) ORDER BY waiting.not_before LIMIT 1)
  ) first
$$;

-- The open run of a queue that was served longest ago, and how many there are: one, or more.
CREATE FUNCTION engine.oldest_run(p_account text, p_queue text, p_floor bigint)
RETURNS TABLE (run_no bigint, last_served bigint, runs bigint)
LANGUAGE sql STABLE AS $$
  SELECT (array_agg(open.no))[1], min(open.last_served), count(*) FROM (
    SELECT run.no, run.last_served FROM gleaner.runs run
    WHERE run.account_id = p_account AND run.queue = p_queue AND run.is_open AND run.last_served >= p_floor
    ORDER BY run.last_served LIMIT 2
  ) open
$$;

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
    SELECT ROW(turn, CASE WHEN rest.state IS NOT NULL THEN rest.state WHEN next.run_no IS NULL THEN 'idle' END, rest.room,
      CASE WHEN v_has_other AND other.last_served < next.last_served
        THEN greatest(greatest(account.concurrency / 4, 1) - (load.used - load.used_here), 0) ELSE 0 END,
      next.run_no, due.chunk, oldest.runs > 1 OR due.run_no <> oldest.run_no OR other.last_served IS NOT NULL,
      greatest(turn.run_floor, least(oldest.last_served, v_highest)), least(load.floor, v_highest), waiting.due_at)::engine.turn_plan
    FROM unnest(p_turns) turn
    CROSS JOIN LATERAL engine.account_of(turn.account_id) account
    CROSS JOIN LATERAL (
      SELECT CASE p_queue WHEN 'batch-http' THEN turn.chunk_floor ELSE engine.chunk_floor(turn.account_id) END AS floor
    ) seen
    CROSS JOIN LATERAL engine.load_of(turn.account_id, p_queue, v_now, seen.floor) load
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE request.state <> 'waiting')::int AS slots, count(*) FILTER (WHERE request.state = 'waiting') AS waiting
      FROM gleaner.requests request
      WHERE request.account_id = turn.account_id AND request.state IN ('waiting', 'queued', 'running') AND request.lease_until > v_now
    ) requests
    CROSS JOIN LATERAL (
      SELECT free.room, CASE
        WHEN NOT account.is_active THEN 'idle'
        -- The ends of so many chunks soon free further slots. Without this, chunks would fall apart into ever smaller
        -- ones. At most a sixteenth of the account's slots stay free.
        WHEN free.room < least(1 + load.chunks / 4, 1 + load.slots / 16, v_slots) THEN 'full'
        -- Interactive requests come first.
        WHEN requests.waiting > 0 THEN 'full' END AS state
      FROM (SELECT account.concurrency - load.used - requests.slots AS room) free
    ) rest
    CROSS JOIN LATERAL engine.first_due(turn.account_id, p_queue) waiting
    CROSS JOIN LATERAL engine.oldest_run(turn.account_id, p_queue, turn.run_floor) oldest
    LEFT JOIN LATERAL (
      SELECT * FROM engine.next_due_chunk(turn.account_id, p_queue, v_now, NOT load.has_lone) first
      WHERE waiting.due_at <= v_now AND (oldest.run_no IS NULL OR first.last_served <= oldest.last_served)
    ) due ON rest.state IS NULL
    CROSS JOIN LATERAL (
      SELECT coalesce(due.run_no, oldest.run_no) AS run_no, coalesce(due.last_served, oldest.last_served) AS last_served
    ) next
    LEFT JOIN LATERAL engine.oldest_run(turn.account_id, v_other, engine.run_floor(turn.account_id, v_other)) other
      ON v_has_other AND rest.state IS NULL);
END
$$;

-- Who takes. level: of the work that it knows; slots: free ones; each: how many of them one turn may have; share: see
-- engine.turn_number.
CREATE TYPE engine.taker AS (
  queue text, worker_id text, level integer, lease interval, token bigint, slots integer, each integer, share double precision
);

-- What a turn takes, with the places of the locked rows. state: full | idle, or busy: somebody else holds a row that it needs,
-- or the run needs a worker of a higher level; null: it takes so many tasks with so many slots, of its due chunk or new ones.
CREATE TYPE engine.turn_take AS (
  account_id text, turn_at tid, state text, due_at timestamptz, run_floor bigint, chunk_floor bigint, is_shared boolean,
  run_at tid, run_no bigint, run_id text, root_no bigint, carved integer, next_chunk integer, task_ms real,
  due_chunk integer, chunk_at tid, room integer, slots integer, tasks integer
);

-- Decides how much each planned turn takes. p_locked: the runs that are locked; this sees them as they are under their locks.
CREATE FUNCTION engine.decide_takes(p_plans engine.turn_plan[], p_locked bigint[], p_taker engine.taker) RETURNS engine.turn_take[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    WITH judged AS MATERIALIZED (
      SELECT plan.*, (plan.turn).account_id AS account_id, turn.at AS turn_at, due.at AS chunk_at, run.at AS run_at,
        run.id, run.root_no, run.carved, run.next_chunk, run.task_ms, plan.room - plan.kept_room AS own_room,
        -- Pages that keep a delay come one after another. Others need no more slots than their host takes pages at once.
        least(plan.room - plan.kept_room, CASE WHEN run.config ? 'hostDelaySeconds' THEN 1
          ELSE least((run.config ->> 'hostConcurrency')::int, p_taker.each) END) AS wanted,
        -- Never more under way than may still be charged.
        least(run.total - run.carved, run.budget - run.succeeded - run.held) AS left_over,
        CASE WHEN plan.state IS NOT NULL THEN plan.state
          WHEN run.at IS NULL OR (run.config ->> 'needs')::int > p_taker.level OR run.state NOT IN ('pending', 'running')
            OR (plan.due_chunk IS NULL AND NOT run.is_open) THEN 'busy'
          WHEN plan.room <= plan.kept_room THEN 'full' END AS refusal
      FROM unnest(p_plans) WITH ORDINALITY
        plan (turn, state, room, kept_room, run_no, due_chunk, is_shared, run_floor, chunk_floor, due_at, place)
      CROSS JOIN LATERAL (
        SELECT present.ctid AS at FROM gleaner.turns present
        WHERE present.account_id = (plan.turn).account_id AND present.queue = p_taker.queue AND present.tick = (plan.turn).tick LIMIT 1
      ) turn
      LEFT JOIN LATERAL (
        SELECT present.ctid AS at, present.* FROM gleaner.runs present
        WHERE present.no BETWEEN plan.run_no AND plan.run_no ORDER BY present.no DESC LIMIT 1
      ) run ON plan.run_no = ANY (p_locked)
      LEFT JOIN LATERAL (
        SELECT waiting.ctid AS at FROM gleaner.chunks waiting
        WHERE waiting.run_no = plan.run_no AND waiting.chunk = plan.due_chunk LIMIT 1) due ON true
    ), shared AS (
      SELECT judged.*, CASE WHEN judged.refusal IS NULL THEN least(judged.wanted,
        p_taker.slots - coalesce(sum(judged.wanted) FILTER (WHERE judged.refusal IS NULL) OVER earlier, 0))::int END AS slots
      FROM judged WINDOW earlier AS (ORDER BY judged.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    SELECT ROW(shared.account_id, shared.turn_at, shared.refusal, shared.due_at, shared.run_floor, shared.chunk_floor,
      shared.is_shared, shared.run_at, shared.run_no, shared.id, shared.root_no, shared.carved, shared.next_chunk, shared.task_ms,
      shared.due_chunk, shared.chunk_at, shared.own_room, shared.slots,
      least(engine.chunk_size(p_taker.queue, shared.slots, shared.task_ms, (p_taker.share / shared.slots)::bigint),
        -- The rest of a small run is spread over all free slots: a task for each slot of the chunk at least.
        greatest(ceil(shared.left_over::numeric / ceil(least(shared.own_room, p_taker.slots)::numeric / shared.slots))::int, shared.slots),
        shared.left_over))::engine.turn_take
    FROM shared ORDER BY shared.place);
END
$$;

-- The inputs of a chunk, one line each, and which tasks they are, unless they are all of its range: the rest of a chunk that
-- others had.
CREATE FUNCTION engine.inputs_of(p_run_no bigint, p_from integer, p_to integer, p_seqs integer[], p_is_whole boolean)
RETURNS TABLE (seqs text, inputs text)
LANGUAGE sql STABLE AS $$
  SELECT string_agg(CASE WHEN NOT p_is_whole THEN task.seq::text END, ',' ORDER BY task.seq),
    string_agg(task.input, E'\n' ORDER BY task.seq)
  FROM gleaner.tasks task
  WHERE task.run_no = p_run_no AND task.seq >= p_from AND task.seq < p_to
    AND (p_is_whole OR ((p_seqs IS NULL OR task.seq = ANY (p_seqs)) AND NOT EXISTS (
      SELECT 1 FROM gleaner.results outcome WHERE outcome.run_no = task.run_no AND outcome.seq = task.seq)))
$$;

-- What a turn took, and its state then.
CREATE TYPE engine.turn_result AS (account_id text, state text, root_no bigint, taken engine.taken_chunk);

-- Writes what turns take: their chunks, runs and turns.
CREATE FUNCTION engine.write_takes(p_takes engine.turn_take[], p_taker engine.taker) RETURNS engine.turn_result[]
LANGUAGE plpgsql AS $$
DECLARE
  v_now constant timestamptz := clock_timestamp();
  v_results engine.turn_result[];
BEGIN
  WITH due AS (
    UPDATE gleaner.chunks held SET state = 'running', attempt = held.attempt + 1, starts = held.starts + 1, token = p_taker.token,
      worker_id = p_taker.worker_id, slots = least(take.slots, held.remaining), lease_until = v_now + p_taker.lease
    FROM unnest(p_takes) take WHERE take.state IS NULL AND held.ctid = take.chunk_at AND held.run_no = take.run_no
      AND held.chunk = take.due_chunk AND held.state = 'pending'
    RETURNING held
  ), fresh AS (
    INSERT INTO gleaner.chunks AS held (run_no, chunk, account_id, queue, state, attempt, starts, token, worker_id, slots,
      from_seq, to_seq, remaining, lease_until)
    SELECT take.run_no, take.next_chunk, take.account_id, p_taker.queue, 'running', 1, 1, p_taker.token, p_taker.worker_id,
      least(take.slots, take.tasks), take.carved, take.carved + take.tasks, take.tasks, v_now + p_taker.lease
    FROM unnest(p_takes) take WHERE take.state IS NULL AND take.due_chunk IS NULL
    RETURNING held
  ), taken AS MATERIALIZED (
    SELECT (made.held).run_no AS run_no, made.held AS chunk FROM (SELECT * FROM due UNION ALL SELECT * FROM fresh) made
  ), served AS (
    UPDATE gleaner.runs run SET
      -- The order of an account's only run says nothing, and a run that keeps its place costs no entry of an index.
      last_served = CASE WHEN take.is_shared THEN engine.microseconds_now() ELSE run.last_served END,
      carved = CASE WHEN take.due_chunk IS NULL THEN run.carved + take.tasks ELSE run.carved END,
      held = CASE WHEN take.due_chunk IS NULL THEN run.held + take.tasks ELSE run.held END,
      next_chunk = run.next_chunk + (take.due_chunk IS NULL)::int, state = 'running', started_at = coalesce(run.started_at, v_now)
    FROM unnest(p_takes) take JOIN taken ON taken.run_no = take.run_no WHERE run.ctid = take.run_at
  ), ended AS MATERIALIZED (
    SELECT take.*, taken.chunk, engine.task_ms(p_taker.queue, take.task_ms) * (taken.chunk).remaining AS charge,
      CASE WHEN taken.run_no IS NOT NULL THEN CASE WHEN take.room > (taken.chunk).slots THEN 'ready' ELSE 'full' END
        -- The end of its run removed the due chunk.
        ELSE coalesce(take.state, 'busy') END AS result
    FROM unnest(p_takes) take LEFT JOIN taken ON taken.run_no = take.run_no
  ), turned AS (
    UPDATE gleaner.turns turn SET tick = turn.tick + 1, state = ended.result, served = turn.served + coalesce(ended.charge, 0),
      run_floor = ended.run_floor,
      -- Something else keeps a chunk that is due already: its run's sink, or a lone chunk.
      due_at = CASE WHEN ended.result = 'idle' AND ended.due_at IS NOT NULL THEN greatest(ended.due_at, v_now + interval '1 s') END,
      chunk_floor = CASE p_taker.queue WHEN 'batch-http' THEN ended.chunk_floor ELSE turn.chunk_floor END
    FROM ended WHERE turn.ctid = ended.turn_at AND ended.result <> 'busy'
  )
  SELECT array_agg(ROW(ended.account_id, ended.result, ended.root_no, CASE WHEN (ended.chunk).run_no IS NOT NULL THEN ROW(
      ended.run_no, (ended.chunk).chunk, (ended.chunk).attempt, p_taker.token::text, ended.account_id, ended.run_id, (ended.chunk).slots,
      (ended.chunk).tries, (ended.chunk).way, (ended.chunk).from_seq, (ended.chunk).to_seq - 1, ended.charge, task.seqs, task.inputs,
      (ended.chunk).redirected, (ended.chunk).is_untried)::engine.taken_chunk END)::engine.turn_result)
  INTO v_results FROM ended
  LEFT JOIN LATERAL engine.inputs_of((ended.chunk).run_no, (ended.chunk).from_seq, (ended.chunk).to_seq, (ended.chunk).seqs,
    (ended.chunk).attempt = 1 AND (ended.chunk).seqs IS NULL) task ON (ended.chunk).run_no IS NOT NULL;
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
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET enable_bitmapscan = off AS $$ -- live work may be none when a plan is made; planning is half of a small group; the newest version comes first in its index
#variable_conflict use_column
DECLARE
  v_floor constant double precision := engine.turn_number('floor', p_queue);
  v_share constant double precision := coalesce(nullif(engine.turn_number('share', p_queue), 0), 1000000);
  v_missed constant text[] := engine.wake_turns(p_queue, p_ended);
  -- A turn has one share, and one slot at least.
  v_taker engine.taker := ROW(p_queue, p_worker, p_level, p_lease_ms * interval '1 ms', floor(random() * 9e15), p_slots,
    least(engine.chunk_slots(p_queue), greatest(floor(v_share / 1000), 1)), v_share);
  v_turns gleaner.turns[];
  v_plans engine.turn_plan[];
  v_locked bigint[];
  v_results engine.turn_result[];
  v_busy text[] := '{}';
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  WHILE v_taker.slots > 0 LOOP
    v_turns := ARRAY(SELECT locked.turn FROM (
      SELECT turn FROM gleaner.turns turn
      WHERE turn.queue = p_queue AND turn.state = 'ready' AND turn.served >= v_floor AND turn.account_id <> ALL (v_busy)
      ORDER BY turn.served LIMIT ceil(v_taker.slots::numeric / v_taker.each) FOR NO KEY UPDATE SKIP LOCKED
    ) locked);
    EXIT WHEN cardinality(v_turns) = 0;
    -- The leader looks twice a second, and turns may be ready only for a moment.
    IF cardinality(v_busy) = 0 AND v_turns[1].served > engine.turn_number('start', p_queue) + 1000 THEN
      PERFORM engine.publish('start', p_queue, floor(v_turns[1].served));
    END IF;
    IF p_queue <> 'batch-http' THEN
      -- The turn of batch-http guards the slots of an account in all queues.
      v_busy := v_busy || ARRAY(
        SELECT turn.account_id FROM unnest(v_turns) turn WHERE NOT EXISTS (
          SELECT 1 FROM (SELECT 1 FROM gleaner.turns guard WHERE guard.account_id = turn.account_id AND guard.queue = 'batch-http'
            ORDER BY guard.tick DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) held));
      v_turns := ARRAY(SELECT turn FROM unnest(v_turns) turn WHERE turn.account_id <> ALL (v_busy));
      CONTINUE WHEN cardinality(v_turns) = 0;
    END IF;
    v_plans := engine.plan_turns(p_queue, v_turns);
    -- A statement of its own: the next one sees the runs as they are under these locks.
    v_locked := ARRAY(
      SELECT locked.no FROM unnest(v_plans) plan CROSS JOIN LATERAL (
        SELECT run.no FROM gleaner.runs run WHERE run.no BETWEEN plan.run_no AND plan.run_no AND plan.state IS NULL
        ORDER BY run.no DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) locked);
    v_results := engine.write_takes(engine.decide_takes(v_plans, v_locked, v_taker), v_taker);
    PERFORM engine.on_taken((result.taken).run_no, result.root_no) FROM unnest(v_results) result WHERE (result.taken).run_no IS NOT NULL;
    SELECT v_busy || coalesce(array_agg(result.account_id) FILTER (WHERE result.state = 'busy'), '{}'),
      v_taker.slots - coalesce(sum((result.taken).slots), 0)
    INTO v_busy, v_taker.slots FROM unnest(v_results) result;
    RETURN QUERY SELECT result.taken, NULL::boolean, NULL::text[] FROM unnest(v_results) result WHERE (result.taken).run_no IS NOT NULL;
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
