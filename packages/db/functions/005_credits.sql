-- Credits: all charges and releases go through settle_credits.

-- What changes in the credits of an account: reserved credits that are charged and given back, with their entries in the
-- ledger, once per (reference, part, slice). `ended`: how many tasks of a run this ends.
CREATE TYPE engine.settlement AS (
  account_id text, charge bigint, release bigint, reference text, part integer, slice integer, ended integer
);

-- Charges a group. The caller holds the locks of the accounts. The charge that takes a balance below a tenth of all grants
-- emits credits.low.
CREATE FUNCTION engine.settle_credits(p_settlements engine.settlement[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_low gleaner.accounts;
  v_lows gleaner.accounts[];
BEGIN
  WITH settlements AS MATERIALIZED (
    SELECT * FROM unnest(p_settlements) s WHERE s.charge > 0 OR s.release > 0 OR s.ended > 0
  ), entered AS (
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference, part, slice)
    SELECT s.account_id, e.kind, e.credits, s.reference, s.part, s.slice
    FROM settlements s CROSS JOIN LATERAL (VALUES ('settle', s.charge), ('release', s.release)) e (kind, credits)
    WHERE e.credits > 0
  ), changed AS (
    UPDATE gleaner.accounts a SET balance = a.balance - s.charge, used = a.used + s.charge,
      reserved = a.reserved - s.charge - s.release, unfinished = a.unfinished - s.ended
    FROM (
      SELECT t.account_id, sum(t.charge) AS charge, sum(t.release) AS release, sum(t.ended) AS ended FROM settlements t
      GROUP BY t.account_id
    ) s CROSS JOIN LATERAL (
      SELECT n.ctid AS at FROM gleaner.accounts n WHERE n.latest_of = s.account_id ORDER BY n.generation DESC LIMIT 1
    ) n
    WHERE a.ctid = n.at
    RETURNING a AS account, a.balance, a.balance + s.charge AS earlier, (a.granted + 9) / 10 AS threshold
  )
  SELECT array_agg(c.account) FILTER (WHERE c.balance < c.threshold AND c.earlier >= c.threshold) INTO v_lows
  FROM changed c;
  IF v_lows IS NULL THEN RETURN; END IF;
  FOREACH v_low IN ARRAY v_lows LOOP
    PERFORM engine.emit_event(v_low.id, 'credits.low', json_build_object(
      'balance', v_low.balance, 'reserved', v_low.reserved, 'threshold', (v_low.granted + 9) / 10));
  END LOOP;
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
