-- References between an account's resources: a resource in use can't be deleted.

-- The users of a parser, a database or a workflow of an account; the first ones by id. Call it with the lock on the
-- row of that resource: code that stores a reference to it takes the same lock.
CREATE FUNCTION engine.list_users(
  p_account text, p_parser text DEFAULT NULL, p_database text DEFAULT NULL, p_workflow text DEFAULT NULL
) RETURNS TABLE (kind text, id text, name text)
LANGUAGE sql STABLE AS $$
  SELECT 'cron', c.id, c.name FROM gleaner.crons c
  WHERE c.account_id = p_account AND (c.target ->> 'parserId' = p_parser OR c.sink ->> 'database' = p_database
    OR c.target ->> 'workflowId' = p_workflow)
  UNION ALL
  SELECT 'workflow', w.id, w.name FROM gleaner.workflows w
  WHERE w.account_id = p_account AND EXISTS (
    SELECT 1 FROM (VALUES
      (jsonb_build_object('target', jsonb_build_object('parserId', p_parser))),
      (jsonb_build_object('sink', jsonb_build_object('database', p_database)))) u (part)
    WHERE w.definition -> 'stages' @> jsonb_build_array(u.part)
      OR w.definition -> 'stages' @> jsonb_build_array(jsonb_build_object('routes', jsonb_build_array(u.part))))
  UNION ALL
  SELECT 'unfinished workflow run', r.id, coalesce(r.name, '') FROM gleaner.workflow_runs w
  JOIN gleaner.runs r ON r.no = w.no
  WHERE w.account_id = p_account AND w.workflow_id = p_workflow AND r.state IN ('pending', 'running')
  ORDER BY 2 LIMIT 6
$$;
