-- The advisory locks of duties that one process does at a time, and of the process that leads. One of another file:
-- MIGRATION_LOCK (packages/db/src/migrate.ts).
-- test/rules/advisory-locks.test.ts checks that all differ.
CREATE FUNCTION engine.duty_lock(p_duty text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE p_duty
    WHEN 'partitions' THEN 726351905
    WHEN 'retention' THEN 726351906
    WHEN 'health' THEN 726351907
    WHEN 'leader' THEN 726351908
  END;
END
$$;
