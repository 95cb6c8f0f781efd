-- Health of parsers: counts by chunks, and rows that are held back.

-- Keeps what a flush or finish of a chunk saw, in its own statement. p_notes: {"parserId", "version", "deltas": [delta
-- of one host], "held": [{"seq", "host", "state", "url", "answer", "reason", "ageMs"}]}.
CREATE FUNCTION engine.note_pages(p_account text, p_run_no bigint, p_notes jsonb) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.health_deltas (account_id, parser_id, version, delta)
  SELECT p_account, p_notes ->> 'parserId', (p_notes ->> 'version')::int, d
  FROM jsonb_array_elements(p_notes -> 'deltas') d;
  INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason,
    fetched_at)
  SELECT p_run_no, (h ->> 'seq')::int, p_account, p_notes ->> 'parserId', (p_notes ->> 'version')::int, h ->> 'host',
    h ->> 'state', h ->> 'url', h ->> 'answer', h ->> 'reason',
    clock_timestamp() - (h ->> 'ageMs')::float8 * interval '1 ms'
  FROM jsonb_array_elements(p_notes -> 'held') h
  ON CONFLICT (run_no, seq) DO UPDATE SET state = excluded.state, answer = excluded.answer, reason = excluded.reason,
    fetched_at = excluded.fetched_at
$$;
