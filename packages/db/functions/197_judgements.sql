-- What becomes of rows that their pages give no more.

-- Notes that a run which ended is to be judged: one of a cron or a workflow that wrote a table with history. What an earlier end of
-- it held back is judged anew.
CREATE FUNCTION engine.await_judgement(p_no bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.run_judgements AS j (run_no, account_id, source)
  SELECT r.no, r.account_id, coalesce(w.workflow_id, r.cron_id) FROM gleaner.runs r LEFT JOIN gleaner.workflow_runs w ON w.no = r.no
  WHERE r.no = p_no AND r.state = 'succeeded' AND coalesce(w.workflow_id, r.cron_id) IS NOT NULL
    AND (r.rows_new IS NOT NULL OR EXISTS (SELECT FROM gleaner.runs n WHERE n.root_no = p_no AND n.rows_new IS NOT NULL))
  ON CONFLICT (run_no) DO UPDATE SET due_at = excluded.due_at, created_at = excluded.created_at, state = 'due', held = NULL, pages = NULL
$$;
