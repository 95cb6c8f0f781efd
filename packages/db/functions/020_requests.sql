-- Interactive tasks: submit, start, renew, finish, cancel, sweep. One round trip each.

-- outcome: queued | waiting | credits | concurrency. `available` is balance minus reservations, before this request.
CREATE FUNCTION engine.submit_request(
  p_id text, p_account text, p_queue text, p_price integer, p_spec json, p_waiter text, p_timeout_ms integer
) RETURNS TABLE (outcome text, available bigint, slots integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_account gleaner.accounts;
  v_interactive integer;
  v_used integer;
  v_state text;
BEGIN
  SELECT * INTO STRICT v_account FROM gleaner.accounts WHERE id = p_account FOR UPDATE;
  IF v_account.balance - v_account.reserved < p_price THEN
    RETURN QUERY SELECT 'credits', v_account.balance - v_account.reserved, 0; RETURN;
  END IF;
  v_interactive := engine.interactive_slots(p_account);
  IF v_interactive >= v_account.concurrency THEN
    RETURN QUERY SELECT 'concurrency', v_account.balance - v_account.reserved, v_interactive; RETURN;
  END IF;
  v_used := engine.slots_used(p_account);
  IF v_used >= v_account.concurrency THEN
    PERFORM engine.preempt_chunk(p_account);
    v_used := engine.slots_used(p_account);
  END IF;
  v_state := CASE WHEN v_used < v_account.concurrency THEN 'queued' ELSE 'waiting' END;
  INSERT INTO gleaner.requests (id, account_id, kind, state, queue, price, spec, waiter, lease_until, deadline_at)
  VALUES (p_id, p_account, 'task', v_state, p_queue, p_price, p_spec, p_waiter,
    now() + p_timeout_ms * interval '1 ms', now() + p_timeout_ms * interval '1 ms');
  IF p_price > 0 THEN
    UPDATE gleaner.accounts SET reserved = reserved + p_price WHERE id = p_account;
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference) VALUES (p_account, 'reserve', p_price, p_id);
  END IF;
  -- Chunks of this account that have run a while give up their slots.
  IF v_state = 'waiting' THEN PERFORM engine.tell_workers('yield:' || p_account); END IF;
  RETURN QUERY SELECT v_state, v_account.balance - v_account.reserved, v_used;
END
$$;

-- A slot for work that the API does itself; the lease frees it should the process die.
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

-- Gives a slot back and hands it on; returns what to put into the queue.
CREATE FUNCTION engine.release_slot(p_id text) RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
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

-- The fence: only the attempt that is queued now can start. Returns nothing for a duplicate delivery or a cancelled request.
CREATE FUNCTION engine.start_request(p_id text, p_attempt integer, p_worker text, p_lease_ms integer)
RETURNS TABLE (account_id text, spec json, deadline_at timestamptz)
LANGUAGE sql AS $$
  UPDATE gleaner.requests r
  SET state = 'running', worker_id = p_worker, started_at = coalesce(r.started_at, now()),
      lease_until = now() + p_lease_ms * interval '1 ms'
  WHERE r.id = p_id AND r.attempt = p_attempt AND r.state = 'queued' AND r.deadline_at > now()
  RETURNING r.account_id, r.spec, r.deadline_at
$$;

-- False when the request is no longer this attempt's: the worker drops its work.
CREATE FUNCTION engine.renew_request(p_id text, p_attempt integer, p_lease_ms integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gleaner.requests SET lease_until = now() + p_lease_ms * interval '1 ms'
  WHERE id = p_id AND attempt = p_attempt AND state = 'running' AND lease_until > now();
  RETURN FOUND;
END
$$;

-- Turns a request's reservation into a charge (p_charged) or gives it back. The caller holds the account's lock.
CREATE FUNCTION engine.close_reservation(p_account text, p_reference text, p_price bigint, p_charged boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_charged THEN
    PERFORM engine.settle(p_account, p_price, 0, p_reference, 0, 0);
  ELSE
    PERFORM engine.settle(p_account, 0, p_price, p_reference, 0, 0);
  END IF;
END
$$;

-- Ends a request once: state, credits, wake-up of the waiting API process and admission of the account's next work.
-- p_attempt null: whatever attempt it is (cancel, expiry). `done` is false when it had ended already or belongs to another attempt.
CREATE FUNCTION engine.end_request(
  p_id text, p_attempt integer, p_state text, p_answer text, p_error jsonb
) RETURNS TABLE (done boolean, kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
  v_request gleaner.requests;
BEGIN
  SELECT r.account_id INTO v_account FROM gleaner.requests r WHERE r.id = p_id;
  IF v_account IS NULL THEN RETURN QUERY SELECT false, NULL, NULL, NULL, NULL::int, NULL::int; RETURN; END IF;
  PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_account FOR UPDATE;
  UPDATE gleaner.requests r
  SET state = p_state, answer = p_answer, error = p_error, finished_at = now()
  WHERE r.id = p_id AND r.kind = 'task' AND r.state IN ('waiting', 'queued', 'running')
    AND (p_attempt IS NULL OR (r.attempt = p_attempt AND r.state = 'running'))
  RETURNING r.* INTO v_request;
  IF NOT FOUND THEN RETURN QUERY SELECT false, NULL, NULL, NULL, NULL::int, NULL::int; RETURN; END IF;
  PERFORM engine.close_reservation(v_account, p_id, v_request.price, p_state = 'succeeded');
  IF v_request.waiter IS NOT NULL THEN
    PERFORM pg_notify('gleaner_answers_' || v_request.waiter, p_id);
  END IF;
  RETURN QUERY SELECT true, n.* FROM (SELECT 1) one LEFT JOIN LATERAL engine.admit(v_account) n ON true;
END
$$;

-- Takes back running requests whose lease ran out (their worker died or hung) for another attempt, and ends those that
-- died p_max_attempts times or passed their deadline. Returns what to put into the queue; kind `fault` tells of one that failed.
CREATE FUNCTION engine.sweep_requests(p_max_attempts integer)
RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_lost record;
BEGIN
  FOR v_lost IN
    SELECT r.id, r.account_id, r.kind, r.state, r.attempt, r.deadline_at FROM gleaner.requests r
    WHERE r.state IN ('waiting', 'queued', 'running') AND r.lease_until <= now()
    ORDER BY r.lease_until LIMIT 500
  LOOP
    PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_lost.account_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    BEGIN
      IF v_lost.kind = 'slot' THEN
        DELETE FROM gleaner.requests r WHERE r.id = v_lost.id AND r.lease_until <= now();
        RETURN QUERY SELECT * FROM engine.try_admit(v_lost.account_id);
      ELSIF v_lost.deadline_at <= now() OR v_lost.state <> 'running' THEN
        RETURN QUERY SELECT e.kind, e.id, e.queue, e.attempt, e.rank FROM engine.end_request(v_lost.id, NULL, 'failed', NULL,
          '{"code": "fetch_timed_out", "detail": "the deadline passed before the work ended"}'::jsonb) e WHERE e.id IS NOT NULL;
      ELSIF v_lost.attempt >= p_max_attempts THEN
        RETURN QUERY SELECT e.kind, e.id, e.queue, e.attempt, e.rank FROM engine.end_request(v_lost.id, NULL, 'failed', NULL,
          '{"code": "temporarily_unavailable", "detail": "the workers that ran this died", "retryAfterSeconds": 5}'::jsonb) e
          WHERE e.id IS NOT NULL;
      ELSE
        -- Its slot may be another's since its lease ran out.
        UPDATE gleaner.requests r SET state = 'waiting', attempt = r.attempt + 1, worker_id = NULL, lease_until = r.deadline_at
        WHERE r.id = v_lost.id AND r.state = 'running' AND r.lease_until <= now();
        RETURN QUERY SELECT * FROM engine.try_admit(v_lost.account_id);
        PERFORM engine.tell_workers('yield:' || r.account_id) FROM gleaner.requests r WHERE r.id = v_lost.id AND r.state = 'waiting';
      END IF;
    EXCEPTION WHEN OTHERS THEN
      RETURN QUERY SELECT 'fault', format('request %s: %s', v_lost.id, SQLERRM), NULL, NULL::int, NULL::int;
    END;
  END LOOP;
END
$$;
