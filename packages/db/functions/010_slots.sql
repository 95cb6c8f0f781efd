-- Slots: how much of an account's concurrency is in use. A lease that ran out no longer counts, so a crash leaks no
-- slot. Every function that changes slots or credits locks the account row first. The order of locks is: account, then
-- request or chunk, then run.

CREATE FUNCTION engine.interactive_slots(p_account text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM gleaner.requests
  WHERE account_id = p_account AND state IN ('queued', 'running') AND lease_until > clock_timestamp()
$$;

-- Slots that all live work of the account holds.
CREATE FUNCTION engine.slots_used(p_account text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT engine.interactive_slots(p_account) + coalesce((
    SELECT sum(c.slots)::int FROM gleaner.chunks c
    WHERE c.account_id = p_account AND c.state <> 'pending' AND c.lease_until > clock_timestamp()
  ), 0)
$$;

-- Gives free slots to waiting work: to interactive requests first, the oldest before others, then to chunks. The caller
-- holds the account's lock and puts the returned deliveries into the queue after commit.
CREATE FUNCTION engine.admit(p_account text) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_free integer;
  v_admitted integer;
BEGIN
  SELECT a.concurrency - engine.slots_used(p_account) INTO v_free FROM gleaner.accounts a WHERE a.id = p_account;
  IF v_free <= 0 THEN RETURN; END IF;
  RETURN QUERY
    WITH queued AS (
      UPDATE gleaner.requests r SET state = 'queued', lease_until = r.deadline_at
      WHERE r.id IN (
        SELECT w.id FROM gleaner.requests w
        WHERE w.account_id = p_account AND w.state = 'waiting' AND w.deadline_at > clock_timestamp()
        ORDER BY w.created_at LIMIT v_free
      )
      RETURNING r.id, r.queue, r.attempt
    )
    SELECT d.* FROM queued q CROSS JOIN LATERAL engine.request_delivery(q.id, q.queue, q.attempt) d;
  GET DIAGNOSTICS v_admitted = ROW_COUNT;
  IF v_free > v_admitted THEN
    RETURN QUERY SELECT * FROM engine.admit_chunks(p_account, v_free - v_admitted);
  END IF;
END
$$;
