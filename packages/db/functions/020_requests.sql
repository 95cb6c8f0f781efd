-- Interactive tasks: submit, start, renew, finish, cancel, sweep. Each is one round trip.

-- outcome: queued | waiting | credits | concurrency. The last two refuse the request. `available` is the balance minus
-- reservations before this request; `slots` is how many the account used before it.
CREATE FUNCTION engine.submit_request(
  p_id text, p_account text, p_queue text, p_price integer, p_spec json, p_waiter text, p_timeout_ms integer
) RETURNS TABLE (outcome text, available bigint, slots integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_account gleaner.accounts;
BEGIN
  SELECT * INTO STRICT v_account FROM gleaner.accounts WHERE id = p_account FOR UPDATE;
  available := v_account.balance - v_account.reserved;
  slots := 0;
  IF available < p_price THEN
    outcome := 'credits'; RETURN NEXT; RETURN;
  END IF;
  slots := engine.interactive_slots(p_account);
  IF slots >= v_account.concurrency THEN
    outcome := 'concurrency'; RETURN NEXT; RETURN;
  END IF;
  slots := engine.slots_used(p_account);
  IF slots >= v_account.concurrency THEN
    PERFORM engine.preempt_chunk(p_account);
    slots := engine.slots_used(p_account);
  END IF;
  outcome := CASE WHEN slots < v_account.concurrency THEN 'queued' ELSE 'waiting' END;
  INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, spec, waiter, lease_until, deadline_at)
  VALUES (p_id, p_account, 'task', outcome, p_queue, p_price, p_spec, p_waiter,
    now() + p_timeout_ms * interval '1 ms', now() + p_timeout_ms * interval '1 ms');
  IF p_price > 0 THEN
    UPDATE gleaner.accounts SET reserved = reserved + p_price WHERE id = p_account;
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference)
    VALUES (p_account, 'reserve', p_price, p_id);
  END IF;
  IF outcome = 'waiting' THEN PERFORM engine.ask_chunks_to_yield(p_account); END IF;
  RETURN NEXT;
END
$$;

-- Takes a slot for work that the API does itself. The lease frees it if the process dies.
CREATE FUNCTION engine.take_slot(p_id text, p_account text, p_lease_ms integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_concurrency integer;
BEGIN
  SELECT concurrency INTO STRICT v_concurrency FROM gleaner.accounts WHERE id = p_account FOR UPDATE;
  IF engine.interactive_slots(p_account) >= v_concurrency THEN RETURN false; END IF;
  INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, lease_until, deadline_at, started_at)
  VALUES (p_id, p_account, 'slot', 'running', 'none', 0,
    now() + p_lease_ms * interval '1 ms', now() + p_lease_ms * interval '1 ms', now());
  RETURN true;
END
$$;

-- Gives a slot back and admits the account's next work.
CREATE FUNCTION engine.release_slot(p_id text) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
BEGIN
  SELECT r.account_id INTO v_account FROM gleaner.requests r WHERE r.id = p_id AND r.kind = 'slot';
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_account FOR UPDATE;
  DELETE FROM gleaner.requests r WHERE r.id = p_id;
  RETURN QUERY SELECT * FROM engine.admit(v_account);
END
$$;

-- The fence: only the attempt that is queued now can start. Returns no row for a duplicate delivery or a cancelled
-- request.
CREATE FUNCTION engine.start_request(p_id text, p_attempt integer, p_worker text, p_lease_ms integer)
RETURNS TABLE (account_id text, spec json, deadline_at timestamptz)
LANGUAGE sql AS $$
  UPDATE gleaner.requests r
  SET state = 'running', worker_id = p_worker, started_at = coalesce(r.started_at, now()),
      lease_until = now() + p_lease_ms * interval '1 ms'
  WHERE r.id = p_id AND r.attempt = p_attempt AND r.state = 'queued' AND r.deadline_at > now()
  RETURNING r.account_id, r.spec, r.deadline_at
$$;

-- False when this attempt no longer holds the request: the worker then drops its work.
CREATE FUNCTION engine.renew_request(p_id text, p_attempt integer, p_lease_ms integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gleaner.requests SET lease_until = now() + p_lease_ms * interval '1 ms'
  WHERE id = p_id AND attempt = p_attempt AND state = 'running' AND lease_until > now();
  RETURN FOUND;
END
$$;

-- Turns a request's reservation into a charge (p_charged) or gives it back. The caller holds the account's lock.
CREATE FUNCTION engine.close_reservation(p_account text, p_reference text, p_price bigint, p_charged boolean)
RETURNS void
LANGUAGE sql AS $$
  SELECT engine.settle_credits(
    p_account => p_account, p_charge => CASE WHEN p_charged THEN p_price ELSE 0 END,
    p_release => CASE WHEN p_charged THEN 0 ELSE p_price END, p_reference => p_reference, p_part => 0, p_slice => 0)
$$;

-- Ends a request once: its state, its credits, a notification for the API process that waits, and admission of the
-- account's next work. With p_attempt null it ends whatever attempt the request has (cancel, expiry). `done` is false
-- when the request had ended already or has another attempt. There is always a row; its delivery may be null.
CREATE FUNCTION engine.end_request(p_id text, p_attempt integer, p_state text, p_answer text, p_error jsonb)
RETURNS TABLE (done boolean, delivery engine.delivery)
LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
  v_request gleaner.requests;
BEGIN
  done := false;
  SELECT r.account_id INTO v_account FROM gleaner.requests r WHERE r.id = p_id;
  IF v_account IS NULL THEN RETURN NEXT; RETURN; END IF;
  PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_account FOR UPDATE;
  UPDATE gleaner.requests r
  SET state = p_state, answer = p_answer, error = p_error, finished_at = now()
  WHERE r.id = p_id AND r.kind = 'task' AND r.state IN ('waiting', 'queued', 'running')
    AND (p_attempt IS NULL OR (r.attempt = p_attempt AND r.state = 'running'))
  RETURNING r.* INTO v_request;
  IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
  PERFORM engine.close_reservation(v_account, p_id, v_request.price, p_state = 'succeeded');
  IF v_request.waiter IS NOT NULL THEN
    PERFORM pg_notify('gleaner_answers_' || v_request.waiter, p_id);
  END IF;
  done := true;
  FOR delivery IN SELECT * FROM engine.admit(v_account) LOOP RETURN NEXT; END LOOP;
  IF NOT FOUND THEN RETURN NEXT; END IF;
END
$$;

-- Takes back running requests after their lease ran out (their worker died or hung), for another attempt. Ends those
-- that lost p_max_attempts workers or passed their deadline.
CREATE FUNCTION engine.sweep_requests(p_max_attempts integer) RETURNS SETOF engine.sweep_row
LANGUAGE plpgsql AS $$
DECLARE
  v_lost record;
  v_error jsonb;
BEGIN
  FOR v_lost IN
    SELECT r.id, r.account_id, r.kind, r.state, r.attempt, r.deadline_at FROM gleaner.requests r
    WHERE r.state IN ('waiting', 'queued', 'running') AND r.lease_until <= now()
    ORDER BY r.lease_until LIMIT 500
  LOOP
    PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_lost.account_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    BEGIN
      v_error := CASE
        WHEN v_lost.kind = 'slot' THEN NULL
        WHEN v_lost.deadline_at <= now() OR v_lost.state <> 'running' THEN
          '{"code": "fetch_timed_out", "detail": "the deadline passed before the work ended"}'::jsonb
        WHEN v_lost.attempt >= p_max_attempts THEN
          '{"code": "temporarily_unavailable", "detail": "the workers that ran this died",
            "retryAfterSeconds": 5}'::jsonb
      END;
      IF v_error IS NOT NULL THEN
        RETURN QUERY SELECT e.delivery, NULL::text FROM engine.end_request(v_lost.id, NULL, 'failed', NULL, v_error) e
          WHERE (e.delivery).kind IS NOT NULL;
      ELSIF v_lost.kind = 'slot' THEN
        DELETE FROM gleaner.requests r WHERE r.id = v_lost.id AND r.lease_until <= now();
        RETURN QUERY SELECT * FROM engine.try_admit(v_lost.account_id);
      ELSE
        -- Other work may own its slot since the lease ran out, so it waits for a slot again.
        UPDATE gleaner.requests r
        SET state = 'waiting', attempt = r.attempt + 1, worker_id = NULL, lease_until = r.deadline_at
        WHERE r.id = v_lost.id AND r.state = 'running' AND r.lease_until <= now();
        RETURN QUERY SELECT * FROM engine.try_admit(v_lost.account_id);
        PERFORM engine.ask_chunks_to_yield(r.account_id) FROM gleaner.requests r
          WHERE r.id = v_lost.id AND r.state = 'waiting';
      END IF;
    EXCEPTION WHEN OTHERS THEN
      RETURN QUERY SELECT NULL::engine.delivery, format('request %s: %s', v_lost.id, SQLERRM);
    END;
  END LOOP;
END
$$;
