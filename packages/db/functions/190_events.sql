-- Called in the transaction that ends a run.
CREATE FUNCTION engine.emit_run_event(p_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
END
$$;
