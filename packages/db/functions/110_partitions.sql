-- Tasks, results and the frontiers of crawls live in partitions of 6 hours of run numbers, so that retention drops tables and never deletes
-- rows.

-- The lowest run number of a point in time: milliseconds since the epoch, shifted left by 20 bits.
CREATE FUNCTION engine.number_at(p_at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_at) * 1000)::bigint << 20
$$;

CREATE FUNCTION engine.window_start(p_at timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(floor(extract(epoch FROM p_at) / 21600) * 21600)
$$;

-- Creates the partitions of the window that holds p_at, unless they exist.
CREATE FUNCTION engine.ensure_partition(p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_start timestamptz := engine.window_start(p_at);
  v_suffix text := to_char(v_start AT TIME ZONE 'UTC', 'YYYYMMDDHH24');
  v_table text;
  v_options text;
BEGIN
  IF to_regclass('gleaner.frontier_' || v_suffix) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(engine.duty_lock('partitions'));
  IF to_regclass('gleaner.frontier_' || v_suffix) IS NOT NULL THEN RETURN; END IF;
  FOREACH v_table IN ARRAY ARRAY['tasks', 'results', 'frontier'] LOOP
    -- An earlier version made the window without it.
    CONTINUE WHEN to_regclass('gleaner.' || v_table || '_' || v_suffix) IS NOT NULL;
    -- With lz4, answers beyond 512 bytes are compressed and kept in the row. pglz takes ten times as long, so without
    -- lz4 only answers beyond Postgres' default are compressed.
    v_options := CASE WHEN v_table = 'results' AND EXISTS (
      SELECT 1 FROM pg_attribute
      WHERE attrelid = 'gleaner.results'::regclass AND attname = 'answer' AND attcompression = 'l'
    ) THEN 'WITH (toast_tuple_target = 512)' ELSE '' END;
    EXECUTE format(
      'CREATE TABLE gleaner.%I (LIKE gleaner.%I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION) %s',
      v_table || '_' || v_suffix, v_table, v_options);
    -- Attaching a table takes a weaker lock on the parent than creating a partition.
    EXECUTE format('ALTER TABLE gleaner.%I ATTACH PARTITION gleaner.%I FOR VALUES FROM (%s) TO (%s)',
      v_table, v_table || '_' || v_suffix, engine.number_at(v_start), engine.number_at(v_start + interval '6 hours'));
  END LOOP;
END
$$;

-- The number of a new run. Its partition exists afterwards.
CREATE FUNCTION engine.next_number() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  PERFORM engine.ensure_partition(v_now);
  RETURN engine.number_at(v_now) + floor(random() * 1048576)::bigint;
END
$$;

-- The runs of a window that need its rows still: they live, or were created less than p_age ago, after a long upload, or are
-- stages that ended less than p_age ago.
CREATE FUNCTION engine.runs_in_need(p_start timestamptz, p_age interval) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
  -- In the words of the indexes runs_window and runs_late.
  SELECT r.no FROM gleaner.runs r
  WHERE r.state IN ('pending', 'running')
    AND r.no >= engine.number_at(p_start) AND r.no < engine.number_at(p_start + interval '6 hours')
  UNION
  SELECT r.no FROM gleaner.runs r
  WHERE r.created_at - to_timestamp((r.no >> 20) / 1000.0) > interval '1 hour' AND r.created_at > now() - p_age
    AND r.no >= engine.number_at(p_start) AND r.no < engine.number_at(p_start + interval '6 hours')
  UNION
  SELECT r.no FROM gleaner.runs r
  WHERE r.root_no IS NOT NULL AND r.finished_at > now() - p_age
    AND r.no >= engine.number_at(p_start) AND r.no < engine.number_at(p_start + interval '6 hours')
$$;

SELECT engine.ensure_partition(now()), engine.ensure_partition(now() + interval '6 hours');

-- Refreshes statistics after a bulk load: without them plans cost five times as much.
CREATE FUNCTION engine.analyze_tasks(p_run_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ANALYZE gleaner.%I', 'tasks_' || to_char(
    engine.window_start(to_timestamp((p_run_no >> 20) / 1000.0)) AT TIME ZONE 'UTC', 'YYYYMMDDHH24'));
END
$$;
