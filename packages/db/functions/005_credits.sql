-- Credits: charges and releases of runs go through settle_credits, those of interactive requests through end_requests.

-- Charges reserved credits, gives others back, and writes both to the ledger: once per (reference, part, slice).
-- p_ended is the number of a run's tasks that this ends. The caller holds the account's lock. The charge that takes the
-- balance below a tenth of all grants emits credits.low.
CREATE FUNCTION engine.settle_credits(
  p_account text, p_charge bigint, p_release bigint, p_reference text, p_part integer, p_slice integer,
  p_ended integer DEFAULT 0
) RETURNS void
LANGUAGE plpgsql SET enable_bitmapscan = off AS $$
DECLARE
  v_account gleaner.accounts;
  v_low bigint;
BEGIN
  IF p_charge <= 0 AND p_release <= 0 AND p_ended = 0 THEN RETURN; END IF;
  UPDATE gleaner.accounts
  SET balance = balance - p_charge, used = used + p_charge, reserved = reserved - p_charge - p_release,
    unfinished = unfinished - p_ended
  WHERE latest_of = p_account AND generation = (
    SELECT a.generation FROM gleaner.accounts a WHERE a.latest_of = p_account ORDER BY a.generation DESC LIMIT 1)
  RETURNING * INTO STRICT v_account;
  INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, part, slice)
  SELECT p_account, e.kind, e.credits, p_reference, p_part, p_slice
  FROM (VALUES ('settle', p_charge), ('release', p_release)) e (kind, credits) WHERE e.credits > 0;
  v_low := (v_account.granted + 9) / 10;
  IF v_account.balance < v_low AND v_account.balance + p_charge >= v_low THEN
    PERFORM engine.emit_low_credits(p_account, v_account.balance, v_account.reserved, v_low);
  END IF;
END
$$;

-- Replaces the ledger entries of a run that ended by one of each kind, with their sums. While it lives, an entry per chunk
-- and attempt keeps a second charge of the same work out; a run that ended has no chunks. The caller holds the account's
-- lock.
CREATE FUNCTION engine.fold_entries(p_reference text) RETURNS void
LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM gleaner.ledger_entries e WHERE e.reference = p_reference
    RETURNING e.account_id, e.kind, e.credits, e.created_at
  )
  INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, created_at)
  SELECT g.account_id, g.kind, sum(g.credits), p_reference,
    CASE g.kind WHEN 'reserve' THEN min(g.created_at) ELSE max(g.created_at) END
  FROM gone g GROUP BY g.account_id, g.kind ORDER BY g.kind = 'release', g.kind = 'settle'
$$;

CREATE FUNCTION engine.emit_low_credits(p_account text, p_balance bigint, p_reserved bigint, p_threshold bigint)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.emit_event(p_account, 'credits.low', json_build_object(
    'balance', p_balance, 'reserved', p_reserved, 'threshold', p_threshold));
END
$$;
