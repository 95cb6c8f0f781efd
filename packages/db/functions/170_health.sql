-- Health of parsers: counts by chunks, and rows that are held back.

-- What a write of a chunk saw: {"parserId", "version", "deltas": [delta of one host], "held": [{"seq", "host", "state",
-- "url", "answer", "reason", "fetchedAt"}]}.
CREATE TYPE engine.page_notes AS (account_id text, run_no bigint, notes jsonb);

-- Keeps what the writes of a group saw.
CREATE FUNCTION engine.note_pages(p_notes engine.page_notes[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(p_notes) = 0 THEN RETURN; END IF;
  INSERT INTO gleaner.health_deltas (account_id, parser_id, version, delta)
  SELECT n.account_id, n.notes ->> 'parserId', (n.notes ->> 'version')::int, d
  FROM unnest(p_notes) n CROSS JOIN LATERAL jsonb_array_elements(n.notes -> 'deltas') d;
  IF NOT EXISTS (SELECT 1 FROM unnest(p_notes) n WHERE n.notes -> 'held' <> '[]') THEN RETURN; END IF;
  INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason,
    fetched_at)
  SELECT n.run_no, (h ->> 'seq')::int, n.account_id, n.notes ->> 'parserId', (n.notes ->> 'version')::int, h ->> 'host',
    h ->> 'state', h ->> 'url', h ->> 'answer', h ->> 'reason',
    (h ->> 'fetchedAt')::timestamptz
  FROM unnest(p_notes) n CROSS JOIN LATERAL jsonb_array_elements(n.notes -> 'held') h
  ON CONFLICT (run_no, seq) DO UPDATE SET state = excluded.state, answer = excluded.answer, reason = excluded.reason,
    fetched_at = excluded.fetched_at;
END
$$;
