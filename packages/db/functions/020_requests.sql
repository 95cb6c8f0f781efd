-- Interactive requests: submit, start, renew, end, sweep. Submitting, starting and ending take a group of requests in
-- one statement: the group locks its accounts, commits once and holds no lock across a round trip to the client.

CREATE TYPE engine.new_request AS (
  id text,
  account text,
  -- task, or slot for work that the API process does itself, which starts at once.
  kind text,
  queue text,
  price integer,
  timeout_ms integer,
  -- The parser that it uses, and its `updated_at` when the caller read it.
  parser text,
  parser_read timestamptz,
  spec json,
  -- What its use counts for: {key, parser, host}.
  origin jsonb
);

-- A request with what its account has: the balance minus reservations, its requests that wait or are under way, and the slots
-- that are used. is_busy: another transaction holds the account. is_stale: the parser has changed since the caller read it.
CREATE TYPE engine.weighed_request AS (
  place integer, id text, account text, kind text, queue text, price integer, is_busy boolean, is_stale boolean,
  concurrency integer, available bigint, interactive integer, used integer
);

-- The requests of a group by account, in the order of arrival. The caller holds the locked accounts and their turns.
CREATE FUNCTION engine.weigh_requests(p_requests engine.new_request[], p_locked text[]) RETURNS SETOF engine.weighed_request
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    WITH counted AS MATERIALIZED (
      SELECT a.id, a.concurrency, a.balance - a.reserved AS available, i.interactive, i.executing + c.slots AS used
      FROM (SELECT DISTINCT l.id FROM unnest(p_locked) l (id)) l
      CROSS JOIN LATERAL engine.account_of(l.id) a
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS interactive, count(*) FILTER (WHERE q.state <> 'waiting')::int AS executing
        FROM gleaner.requests q
        WHERE q.account_id = a.id AND q.state IN ('waiting', 'queued', 'running')
          AND q.lease_until > (SELECT clock_timestamp())
      ) i
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(k.slots), 0)::int AS slots FROM gleaner.chunks k
        WHERE k.account_id = a.id AND k.state <> 'pending' AND k.seen_at >= engine.chunk_floor(a.id)
          AND k.lease_until > clock_timestamp()
      ) c
    )
    SELECT r.place::int, r.id, r.account, r.kind, r.queue, r.price, c.id IS NULL,
      r.parser IS NOT NULL AND (p.id IS NULL OR p.updated_at <> r.parser_read), c.concurrency, c.available, c.interactive, c.used
    FROM unnest(p_requests) WITH ORDINALITY
      r (id, account, kind, queue, price, timeout_ms, parser, parser_read, spec, origin, place)
    LEFT JOIN counted c ON c.id = r.account
    LEFT JOIN gleaner.parsers p ON p.id = r.parser AND p.account_id = r.account AND p.deleted_at IS NULL
    ORDER BY r.account, r.place;
END
$$;

-- Stores the requests at these places, each with its outcome, and reserves their prices.
CREATE FUNCTION engine.store_requests(
  p_requests engine.new_request[], p_places integer[], p_outcomes text[], p_waiter text
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  WITH taken AS (
    INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, spec, waiter, started_at, lease_until,
      deadline_at, origin)
    SELECT r.id, r.account, r.kind, CASE WHEN r.kind = 'slot' AND o.outcome = 'queued' THEN 'running' ELSE o.outcome END,
      r.queue, r.price, r.spec, p_waiter, CASE WHEN r.kind = 'slot' THEN now() END,
      now() + r.timeout_ms * interval '1 ms', now() + r.timeout_ms * interval '1 ms', r.origin
    FROM unnest(p_places, p_outcomes) o (place, outcome)
    JOIN unnest(p_requests) WITH ORDINALITY
      r (id, account, kind, queue, price, timeout_ms, parser, parser_read, spec, origin, place) ON r.place = o.place
    RETURNING id, account_id, price
  ), sums AS (
    SELECT t.account_id, sum(t.price) AS price, min(t.id) AS reference,
      (SELECT a.generation FROM engine.account_of(t.account_id) a) AS generation
    FROM taken t WHERE t.price > 0 GROUP BY t.account_id
  ), reserved AS (
    UPDATE gleaner.accounts a SET reserved = a.reserved + s.price FROM sums s
    WHERE a.latest_of = s.account_id AND a.generation = s.generation
  )
  INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference)
  SELECT s.account_id, 'reserve', s.price, s.reference FROM sums s;
END
$$;

-- Submits a group of requests: p_requests are engine.new_request, in the order of arrival. outcome: queued | waiting (for a slot)
-- | credits | concurrency (refused) | stale (the parser has changed since the caller read it) | busy (another
-- transaction holds the account; see lock_accounts). `available` is the balance minus reservations before this request,
-- `slots` the number of the account's requests under way or waiting, and `rank` the request's position among them. A task
-- that is queued has its delivery. Rows with a null `place` carry further ones.
CREATE FUNCTION engine.submit_requests(
  p_requests json, p_waiter text, p_lock_ms integer
) RETURNS TABLE (
  place integer, outcome text, available bigint, slots integer, rank integer, delivery engine.delivery
)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$ -- live work may be none when a plan is made; planning is half of a small group
#variable_conflict use_column
DECLARE
  v_requests constant engine.new_request[] := ARRAY(
    SELECT r FROM json_populate_recordset(NULL::engine.new_request, p_requests) r);
  v_locked text[];
  v_item engine.weighed_request;
  v_account text := '';
  v_available bigint;
  v_interactive integer;
  v_used integer;
  v_places integer[] := '{}';
  v_outcomes text[] := '{}';
BEGIN
  -- It does not wait for the disk. A crash of Postgres loses the requests together with their reservations, and the commit
  -- of their end carries both.
  PERFORM set_config('synchronous_commit', 'off', true);
  v_locked := engine.lock_accounts(ARRAY(SELECT r.account FROM unnest(v_requests) r), p_lock_ms);
  PERFORM engine.lock_turn(l.account) FROM unnest(v_locked) l (account);
  FOR v_item IN
    SELECT * FROM engine.weigh_requests(v_requests, v_locked)
  LOOP
    IF v_item.account <> v_account THEN
      v_account := v_item.account;
      v_available := v_item.available;
      v_interactive := v_item.interactive;
      v_used := v_item.used;
    END IF;
    place := v_item.place;
    available := v_available;
    slots := v_interactive;
    rank := v_interactive + 1;
    delivery := NULL;
    IF v_item.is_busy THEN
      outcome := 'busy';
    ELSIF v_item.is_stale THEN
      outcome := 'stale';
    ELSIF v_available < v_item.price THEN
      outcome := 'credits';
    ELSIF v_interactive >= v_item.concurrency THEN
      outcome := 'concurrency';
    ELSE
      outcome := CASE WHEN v_used < v_item.concurrency THEN 'queued' ELSE 'waiting' END;
      v_available := v_available - v_item.price;
      v_interactive := v_interactive + 1;
      IF outcome = 'queued' THEN
        v_used := v_used + 1;
        IF v_item.kind = 'task' THEN
          delivery := ROW('request', v_item.queue, 1, v_item.id, rank, v_item.account, NULL);
        END IF;
      END IF;
      v_places := v_places || place;
      v_outcomes := v_outcomes || outcome;
    END IF;
    RETURN NEXT;
  END LOOP;
  IF cardinality(v_places) = 0 THEN RETURN; END IF;
  PERFORM engine.store_requests(v_requests, v_places, v_outcomes, p_waiter);
  IF NOT v_outcomes @> ARRAY['waiting'] THEN RETURN; END IF;
  place := NULL;
  outcome := NULL;
  FOR delivery IN
    SELECT n.* FROM (
      SELECT DISTINCT v_requests[o.place].account AS account FROM unnest(v_places, v_outcomes) o (place, outcome)
      WHERE o.outcome = 'waiting'
    ) w CROSS JOIN LATERAL engine.yield_notice(w.account) n
  LOOP
    RETURN NEXT;
  END LOOP;
END
$$;

-- The fence: only the attempt that is queued now can start, and only by a worker of the level that it needs. Other
-- deliveries have no row in the answer. A crash of Postgres may lose a start; the request is then delivered again.
CREATE FUNCTION engine.start_requests(
  p_ids text[], p_attempts integer[], p_worker text, p_lease_ms integer, p_level integer
) RETURNS TABLE (place integer, account_id text, spec json, remaining_ms integer)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$ -- live work may be none when a plan is made; planning is half of a small group
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY
    WITH wanted AS (
      SELECT r.id, w.place FROM unnest(p_ids, p_attempts) WITH ORDINALITY w (id, attempt, place)
      JOIN gleaner.requests r ON r.id = w.id
      WHERE r.attempt = w.attempt AND r.state = 'queued' AND r.deadline_at > now()
        AND coalesce((r.spec -> 'config' ->> 'needs')::int, 0) <= p_level
      FOR NO KEY UPDATE OF r SKIP LOCKED
    )
    UPDATE gleaner.requests r
    SET state = 'running', worker_id = p_worker, started_at = coalesce(r.started_at, now()),
        lease_until = now() + p_lease_ms * interval '1 ms'
    FROM wanted w WHERE r.id = w.id AND r.state = 'queued'
    RETURNING w.place::int, r.account_id, r.spec, (extract(epoch FROM r.deadline_at - now()) * 1000)::int;
END
$$;

-- Renews the leases of a process's requests. A request that another transaction holds at this moment (its end, a
-- cancellation) has a row and is not renewed. One that has no row is lost, and the worker drops its work.
CREATE FUNCTION engine.renew_requests(p_ids text[], p_attempts integer[], p_lease_ms integer)
RETURNS TABLE (id text, renewed boolean)
LANGUAGE plpgsql SET enable_seqscan = off AS $$ -- live work may be none when a plan is made
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY
    WITH held AS MATERIALIZED (
      SELECT r.id FROM unnest(p_ids, p_attempts) w (id, attempt) JOIN gleaner.requests r ON r.id = w.id
      WHERE r.attempt = w.attempt AND r.state = 'running' AND r.lease_until > now()
    ), free AS (
      SELECT r.id FROM unnest(p_ids, p_attempts) w (id, attempt) JOIN gleaner.requests r ON r.id = w.id
      WHERE r.attempt = w.attempt AND r.state = 'running' AND r.lease_until > now()
      FOR NO KEY UPDATE OF r SKIP LOCKED
    ), renewed AS (
      UPDATE gleaner.requests r SET lease_until = now() + p_lease_ms * interval '1 ms'
      FROM free f WHERE r.id = f.id AND r.state = 'running'
      RETURNING r.id
    )
    SELECT h.id, n.id IS NOT NULL FROM held h LEFT JOIN renewed n ON n.id = h.id;
END
$$;

-- A request that a group ended. charge: what it cost; release: what was reserved beyond it.
CREATE TYPE engine.ended_request AS (
  place integer, id text, account_id text, kind text, state text, charge integer, release integer, charged_in text, origin jsonb,
  waiter text, was_running boolean
);

-- Ends those requests of a group whose accounts are locked, and settles their credits. A success is charged its own price, and
-- what was reserved beyond it is released. `charged_in` of each success names the group's entry of the ledger.
CREATE FUNCTION engine.settle_requests(
  p_ids text[], p_attempts integer[], p_states text[], p_answers text[], p_errors text[], p_prices integer[], p_locked text[]
) RETURNS engine.ended_request[]
LANGUAGE plpgsql AS $$
DECLARE
  v_ended engine.ended_request[];
BEGIN
  WITH live AS MATERIALIZED (
    SELECT w.*, r.state = 'running' AS was_running, c.charge, r.price - c.charge AS release,
      CASE WHEN c.charge > 0 THEN min(w.id) FILTER (WHERE c.charge > 0) OVER (PARTITION BY r.account_id) END AS charged_in
    FROM unnest(p_ids, p_attempts, p_states, p_answers, p_errors, p_prices)
      WITH ORDINALITY w (id, attempt, state, answer, error, price, place) JOIN gleaner.requests r ON r.id = w.id
    CROSS JOIN LATERAL (SELECT CASE w.state WHEN 'succeeded' THEN coalesce(w.price, r.price) ELSE 0 END AS charge) c
    WHERE r.account_id = ANY (p_locked) AND r.state IN ('waiting', 'queued', 'running')
      AND (w.attempt IS NULL OR (r.attempt = w.attempt AND r.state = 'running'))
  ), ended AS (
    UPDATE gleaner.requests r
    SET state = l.state, answer = nullif(l.answer, ''), error = nullif(l.error, '')::jsonb, finished_at = now(),
      price = CASE l.state WHEN 'succeeded' THEN l.charge ELSE r.price END, charged_in = l.charged_in
    FROM live l WHERE r.id = l.id
    RETURNING ROW(l.place, r.id, r.account_id, r.kind, r.state, l.charge, l.release, l.charged_in, r.origin, r.waiter,
      l.was_running)::engine.ended_request AS request
  )
  SELECT array_agg(e.request) INTO v_ended FROM ended e;
  PERFORM engine.settle_credits(ARRAY(
    SELECT ROW(e.account_id, sum(e.charge), 0, e.charged_in, 0, 0, 0)::engine.settlement
    FROM unnest(v_ended) e WHERE e.charge > 0 GROUP BY e.account_id, e.charged_in
    UNION ALL
    SELECT ROW(e.account_id, 0, sum(e.release), min(e.id), 0, 0, 0)::engine.settlement
    FROM unnest(v_ended) e WHERE e.release > 0 GROUP BY e.account_id));
  RETURN v_ended;
END
$$;

-- Ends a group of requests, each once: its state, its credits and the admission of the account's next work. Answers and
-- errors have one line for each request, empty where there is none. An attempt of null ends any attempt of the request
-- (cancel, expiry). The successes of an account share one ledger entry, and so do its other ends: the entry's
-- reference is one of these requests, and `charged_in` of each success names it. p_prices: what each success costs, at most
-- what is reserved for it; null: as much. outcome: done | busy (another transaction holds the account; see lock_accounts). A
-- request that had ended, or has another attempt, has no row.
-- `balance` is the account's balance after the group. Rows with a null `place` carry deliveries.
CREATE FUNCTION engine.end_requests(
  p_ids text[], p_attempts integer[], p_states text[], p_answers text, p_errors text, p_lock_ms integer,
  p_prices integer[] DEFAULT NULL
) RETURNS TABLE (place integer, outcome text, waiter text, balance bigint, delivery engine.delivery)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$ -- live work may be none when a plan is made; planning is half of a small group
#variable_conflict use_column
DECLARE
  v_accounts constant text[] := ARRAY(SELECT DISTINCT r.account_id FROM gleaner.requests r WHERE r.id = ANY (p_ids));
  v_answers constant text[] := string_to_array(p_answers, E'\n');
  v_errors constant text[] := string_to_array(p_errors, E'\n');
  v_locked text[];
  v_ended engine.ended_request[];
  v_end record;
  v_cancelled text[] := '{}';
  v_usages engine.usage[] := '{}';
BEGIN
  -- Lines that do not fit would give answers to other accounts.
  IF greatest(cardinality(v_answers), cardinality(v_errors)) > cardinality(p_ids) THEN
    RAISE EXCEPTION 'an answer has several lines' USING ERRCODE = 'data_exception';
  END IF;
  IF p_prices IS NOT NULL AND EXISTS (
    SELECT 1 FROM unnest(p_ids, p_prices) w (id, price) JOIN gleaner.requests r ON r.id = w.id
    WHERE w.price NOT BETWEEN 0 AND r.price)
  THEN
    RAISE EXCEPTION 'a request can''t cost more than is reserved for it' USING ERRCODE = 'data_exception';
  END IF;
  v_locked := engine.lock_accounts(v_accounts, p_lock_ms);
  v_ended := engine.settle_requests(p_ids, p_attempts, p_states, v_answers, v_errors, p_prices, v_locked);
  FOR v_end IN
    SELECT e.*, a.balance FROM unnest(v_ended) e CROSS JOIN LATERAL engine.account_of(e.account_id) a
  LOOP
    place := v_end.place;
    outcome := 'done';
    waiter := v_end.waiter;
    balance := v_end.balance;
    RETURN NEXT;
    IF v_end.charge > 0 OR v_end.kind = 'task' AND v_end.state <> 'cancelled' THEN
      v_usages := v_usages || ROW(v_end.account_id, v_end.origin ->> 'key', v_end.origin ->> 'parser', NULL,
        v_end.origin ->> 'host', (v_end.state = 'succeeded')::int, (v_end.state = 'failed')::int,
        v_end.charge)::engine.usage;
    END IF;
    IF v_end.state = 'cancelled' AND v_end.was_running THEN v_cancelled := v_cancelled || v_end.id::text; END IF;
  END LOOP;
  PERFORM engine.count_usage(v_usages);
  waiter := NULL;
  balance := NULL;
  IF cardinality(v_locked) < cardinality(v_accounts) THEN
    outcome := 'busy';
    FOR place IN
      SELECT w.place::int FROM unnest(p_ids) WITH ORDINALITY w (id, place) JOIN gleaner.requests r ON r.id = w.id
      WHERE r.account_id <> ALL (v_locked)
    LOOP
      RETURN NEXT;
    END LOOP;
  END IF;
  place := NULL;
  outcome := NULL;
  FOR delivery IN
    SELECT n.* FROM unnest(v_cancelled) c (id) CROSS JOIN LATERAL engine.worker_notice(c.id) n
    UNION ALL
    SELECT d.* FROM unnest(v_locked) l (account) CROSS JOIN LATERAL engine.admit(l.account) d
  LOOP
    RETURN NEXT;
  END LOOP;
END
$$;

-- A request goes on by another of its ways: it keeps what is reserved, and waits for a slot again, as after the death of its
-- worker. p_attempt is the one that ran by the way before.
CREATE FUNCTION engine.climb_request(p_id text, p_attempt integer, p_way integer, p_queue text, p_lock_ms integer)
RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_account constant text := (SELECT r.account_id FROM gleaner.requests r WHERE r.id = p_id);
BEGIN
  PERFORM engine.lock_accounts(ARRAY[v_account], p_lock_ms);
  UPDATE gleaner.requests r SET state = 'waiting', attempt = r.attempt + 1, queue = p_queue, worker_id = NULL,
    lease_until = r.deadline_at, spec = jsonb_set(r.spec::jsonb, '{climb,at}', to_jsonb(p_way))::json
  WHERE r.id = p_id AND r.attempt = p_attempt AND r.state = 'running';
  RETURN QUERY SELECT * FROM engine.admit(v_account);
  RETURN QUERY SELECT n.* FROM gleaner.requests r CROSS JOIN LATERAL engine.yield_notice(v_account) n
    WHERE r.id = p_id AND r.state = 'waiting';
END
$$;

-- Takes back running requests after their lease ran out (their worker died or hung), for another attempt. Ends those
-- that lost p_max_attempts workers or passed their deadline, and slots of API processes that died. p_within: how long ago
-- their leases ran out at most. A round that looks back for a minute does not read the entries that a long transaction keeps.
CREATE FUNCTION engine.sweep_requests(p_max_attempts integer, p_within interval)
RETURNS SETOF engine.sweep_row
LANGUAGE plpgsql AS $$
DECLARE
  v_lost record;
  v_error jsonb;
BEGIN
  FOR v_lost IN
    -- A way that didn't give the page is no worker that was lost.
    SELECT r.id, r.account_id, r.kind, r.state, r.attempt - coalesce((r.spec -> 'climb' ->> 'at')::int, 0) AS attempt,
      r.deadline_at
    FROM gleaner.requests r
    WHERE r.state IN ('waiting', 'queued', 'running') AND r.lease_until <= now()
      AND r.lease_until > now() - p_within
    ORDER BY r.lease_until LIMIT 500
  LOOP
    CONTINUE WHEN engine.lock_accounts(ARRAY[v_lost.account_id], NULL) = '{}';
    BEGIN
      v_error := CASE
        WHEN v_lost.kind = 'slot' OR v_lost.deadline_at <= now() OR v_lost.state <> 'running' THEN
          '{"code": "fetch_timed_out", "detail": "the deadline passed before the work ended"}'::jsonb
        WHEN v_lost.attempt >= p_max_attempts THEN
          '{"code": "temporarily_unavailable", "detail": "the workers that ran this died",
            "retryAfterSeconds": 5}'::jsonb
      END;
      IF v_error IS NOT NULL THEN
        RETURN QUERY
          SELECT CASE WHEN e.place IS NULL THEN e.delivery ELSE engine.answer_notice(e.waiter, v_lost.id) END, NULL::text
          FROM engine.end_requests(ARRAY[v_lost.id], ARRAY[NULL::integer], ARRAY['failed'], '', v_error::text, NULL) e
          WHERE e.place IS NULL OR e.waiter IS NOT NULL;
      ELSE
        -- Other work may own its slot since the lease ran out, so it waits for a slot again.
        UPDATE gleaner.requests r
        SET state = 'waiting', attempt = r.attempt + 1, worker_id = NULL, lease_until = r.deadline_at
        WHERE r.id = v_lost.id AND r.state = 'running' AND r.lease_until <= now();
        RETURN QUERY SELECT * FROM engine.try_admit(v_lost.account_id);
        RETURN QUERY SELECT engine.yield_notice(r.account_id), NULL::text FROM gleaner.requests r
          WHERE r.id = v_lost.id AND r.state = 'waiting';
      END IF;
    EXCEPTION WHEN OTHERS THEN
      RETURN QUERY SELECT NULL::engine.delivery, format('request %s: %s', v_lost.id, SQLERRM);
    END;
  END LOOP;
END
$$;
