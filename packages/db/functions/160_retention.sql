-- Removes at most p_limit of the oldest runs that ended before p_before and returns how many. Stages leave with their workflow
-- run. Several processes may call it at once. Rows that somebody has locked wait for the next call.
CREATE FUNCTION engine.remove_runs(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_roots bigint[];
BEGIN
  WITH gone AS (
    DELETE FROM gleaner.runs WHERE id = ANY (ARRAY(
      SELECT r.id FROM gleaner.runs r
      WHERE r.finished_at < p_before AND r.state NOT IN ('pending', 'running') AND r.root_no IS NULL
      ORDER BY r.finished_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING no, kind
  ), sources AS (
    DELETE FROM gleaner.run_sources q USING gone g WHERE q.run_no = g.no
  ), judgements AS (
    DELETE FROM gleaner.run_judgements j USING gone g WHERE j.run_no = g.no
  )
  SELECT count(*), array_agg(g.no) FILTER (WHERE g.kind IN ('workflow', 'stage')) INTO v_count, v_roots FROM gone g;
  IF v_roots IS NOT NULL THEN PERFORM engine.remove_stages(v_roots); END IF;
  RETURN v_count;
END
$$;
