-- Slots: how much of an account's concurrency is in use. A lease that ran out no longer counts, so a crash leaks no
-- slot. Every function that changes slots or credits locks the account row first. The order of locks is: accounts by
-- id, then request or chunk, then run.

-- Accounts are looked up by `latest_of` and the highest `generation`, so that the scan begins at the present version: while
-- a long transaction is open, thousands of old versions have the same id.
CREATE FUNCTION engine.account_of(p_id text) RETURNS SETOF gleaner.accounts
LANGUAGE sql STABLE AS $$ SELECT * FROM gleaner.accounts a WHERE a.latest_of = p_id ORDER BY a.generation DESC LIMIT 1 $$;

-- Locks accounts in the order of their ids and returns the locked ones. With p_wait_ms null an account that somebody
-- else holds is left out, so that it delays no other. With p_wait_ms it is waited for that long (0: as long as the
-- transaction allows); then the statement fails with lock_not_available. The caller reads slots and credits in a later statement, which sees what the lock
-- protects.
CREATE FUNCTION engine.lock_accounts(p_accounts text[], p_wait_ms integer) RETURNS text[]
LANGUAGE plpgsql AS $$
BEGIN
  IF p_wait_ms IS NULL THEN
    RETURN ARRAY(
      SELECT l.id FROM (SELECT DISTINCT u.id FROM unnest(p_accounts) u (id) ORDER BY u.id) w CROSS JOIN LATERAL (
        SELECT a.id FROM gleaner.accounts a WHERE a.latest_of = w.id ORDER BY a.generation DESC LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED) l);
  END IF;
  IF p_wait_ms > 0 THEN PERFORM set_config('lock_timeout', p_wait_ms::text, true); END IF;
  RETURN ARRAY(
    SELECT l.id FROM (SELECT DISTINCT u.id FROM unnest(p_accounts) u (id) ORDER BY u.id) w CROSS JOIN LATERAL (
      SELECT a.id FROM gleaner.accounts a WHERE a.latest_of = w.id ORDER BY a.generation DESC LIMIT 1
      FOR NO KEY UPDATE) l);
END
$$;

-- The time as a sub-select is one value for the scan, so the index of live requests begins at leases that still last: while
-- a long transaction is open, it keeps the entries of all requests that have ended.
CREATE FUNCTION engine.interactive_slots(p_account text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM gleaner.requests
  WHERE account_id = p_account AND state IN ('queued', 'running') AND lease_until > (SELECT clock_timestamp())
$$;

-- Slots that all live work of the account holds. They grow only under the lock of its turn (engine.lock_turn).
CREATE FUNCTION engine.slots_used(p_account text) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN engine.interactive_slots(p_account) + coalesce((
    SELECT sum(c.slots)::int FROM gleaner.chunks c
    WHERE c.account_id = p_account AND c.state <> 'pending' AND c.lease_until > clock_timestamp()
      AND c.seen_at >= engine.chunk_floor(p_account)
  ), 0);
END
$$;

-- Gives free slots to waiting interactive requests, the oldest before others. A slot for work that an API process does
-- itself starts at once, and the process is notified. The caller holds the account's lock and sends the returned
-- deliveries after commit.
CREATE FUNCTION engine.admit(p_account text) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_free integer;
  v_live integer;
BEGIN
  IF NOT engine.has_waiting_request(p_account) THEN RETURN; END IF;
  PERFORM engine.lock_turn(p_account);
  SELECT a.concurrency - engine.slots_used(p_account), engine.interactive_slots(p_account) INTO v_free, v_live
  FROM engine.account_of(p_account) a;
  IF v_free <= 0 THEN RETURN; END IF;
  RETURN QUERY
    WITH admitted AS (
      UPDATE gleaner.requests r
      SET state = CASE r.kind WHEN 'slot' THEN 'running' ELSE 'queued' END,
        lease_until = CASE r.kind WHEN 'slot' THEN clock_timestamp() + (r.deadline_at - r.created_at)
          ELSE r.deadline_at END
      WHERE r.id IN (
        SELECT w.id FROM gleaner.requests w
        WHERE w.account_id = p_account AND w.state = 'waiting' AND w.lease_until > (SELECT clock_timestamp())
        ORDER BY w.created_at, w.id LIMIT v_free
      )
      RETURNING r.id, r.kind, r.queue, r.attempt, r.waiter
    ), placed AS (
      SELECT a.*, v_live + (row_number() OVER (ORDER BY a.id))::int AS queue_position FROM admitted a
    )
    SELECT d.* FROM placed p CROSS JOIN LATERAL (
      SELECT n.* FROM engine.answer_notice(p.waiter, p.id) n WHERE p.kind = 'slot'
      UNION ALL
      SELECT 'request', p.queue, p.attempt, p.id, p.queue_position, p_account, NULL WHERE p.kind = 'task'
    ) d;
END
$$;
