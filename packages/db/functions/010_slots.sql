-- Slots: how much of an account's concurrency is taken. A lease that ran out counts no more, so a crash leaks nothing.
-- Every function that changes slots or credits first locks the account row; lock order: account, then request or chunk, then run.

CREATE FUNCTION engine.interactive_slots(p_account text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM gleaner.requests
  WHERE account_id = p_account AND state IN ('queued', 'running') AND lease_until > clock_timestamp()
$$;

-- Slots held by all live work of the account.
CREATE FUNCTION engine.slots_used(p_account text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT engine.interactive_slots(p_account) + coalesce((
    SELECT sum(c.slots)::int FROM gleaner.chunks c
    WHERE c.account_id = p_account AND c.state <> 'pending' AND c.lease_until > clock_timestamp()
  ), 0)
$$;

-- Gives free slots to waiting work: interactive requests, oldest first, then chunks. The caller holds the account's lock
-- and puts what is returned into the queue after commit. `id` is a request's id, or
-- `<run no>:<chunk>:<deliveries>:<account>:<run id>:<first seq>-<last seq>`.
CREATE FUNCTION engine.admit(p_account text) RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_free integer;
  v_admitted integer;
BEGIN
  SELECT a.concurrency - engine.slots_used(p_account) INTO v_free FROM gleaner.accounts a WHERE a.id = p_account;
  IF v_free <= 0 THEN RETURN; END IF;
  RETURN QUERY
    UPDATE gleaner.requests r SET state = 'queued', lease_until = r.deadline_at
    WHERE r.id IN (
      SELECT w.id FROM gleaner.requests w
      WHERE w.account_id = p_account AND w.state = 'waiting' AND w.deadline_at > clock_timestamp()
      ORDER BY w.created_at LIMIT v_free
    )
    RETURNING 'request', r.id, r.queue, r.attempt, 0;
  GET DIAGNOSTICS v_admitted = ROW_COUNT;
  IF v_free > v_admitted THEN
    RETURN QUERY SELECT * FROM engine.admit_chunks(p_account, v_free - v_admitted);
  END IF;
END
$$;
