-- The doors of features: the events of the engine, and what stages, crawls and sources do then. No other file of the engine knows
-- these features.

-- A chunk of a run was taken. The stages of a workflow run have one place among the account's runs.
CREATE FUNCTION engine.on_taken(p_run_no bigint, p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_root_no IS NOT NULL THEN PERFORM engine.share_turn(p_run_no); END IF;
END
$$;
