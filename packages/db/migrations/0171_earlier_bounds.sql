-- Functions of earlier versions, whose processes may run for a while, add tasks to stages: the stage's bound grows with them.
DO $$
DECLARE
  v_function text;
BEGIN
  FOR v_function IN
    SELECT replace(pg_get_functiondef(p.oid), 'budget = r.budget + p_budget',
      'budget = r.budget + p_budget, max_credits = r.max_credits + r.price::bigint * p_budget')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname LIKE 'engine%' AND p.proname = 'grow_run'
  LOOP
    EXECUTE v_function;
  END LOOP;
END
$$;
