-- Events: rows of the outbox, written in the transaction that makes the event true, so that no event is lost or sent
-- too early.

-- `<prefix>_<26 lower-case ULID characters>`, as packages/core/src/platform/ids.ts makes them.
CREATE FUNCTION engine.create_id(p_prefix text, p_time timestamptz DEFAULT clock_timestamp()) RETURNS text
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  v_uuid constant bytea := uuid_send(gen_random_uuid());
  -- 48 bits of time, then 80 random bits: the bytes of the UUID that hold neither version nor variant.
  v_parts constant bigint[] := ARRAY[
    (extract(epoch FROM p_time) * 1000)::bigint,
    ('x' || encode(substr(v_uuid, 1, 5), 'hex'))::bit(40)::bigint,
    ('x' || encode(substr(v_uuid, 11, 5), 'hex'))::bit(40)::bigint
  ];
  v_lengths constant integer[] := ARRAY[10, 8, 8];
  v_text text := '';
BEGIN
  FOR v_part IN 1..3 LOOP
    FOR v_digit IN REVERSE v_lengths[v_part] - 1..0 LOOP
      v_text := v_text || substr(v_alphabet, ((v_parts[v_part] >> (5 * v_digit)) & 31)::int + 1, 1);
    END LOOP;
  END LOOP;
  RETURN p_prefix || '_' || v_text;
END
$$;

CREATE FUNCTION engine.iso_time(p_time timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(p_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Writes an outbox row for each enabled webhook and alert of the account that subscribes to the event, and one for p_url if
-- given. Several rows share one payload. Those of alerts wait for others of the same message. p_resolved: what the event
-- reported has passed, which alerts alone are told. p_webhooks: only these of them. Returns the number of rows.
CREATE FUNCTION engine.emit_event(
  p_account text, p_event text, p_data json, p_run text DEFAULT NULL, p_url text DEFAULT NULL,
  p_resolved boolean DEFAULT false, p_webhooks text[] DEFAULT NULL
) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_payload text;
  v_webhooks text[];
  v_count integer;
  v_event bigint;
BEGIN
  -- The lock waits for a webhook that is being deleted: otherwise its foreign key would fail the whole transaction.
  SELECT coalesce(array_agg(subscribed.id), '{}') INTO v_webhooks FROM (
    SELECT w.id FROM gleaner.webhooks w
    WHERE w.account_id = p_account AND w.is_enabled AND w.confirmed AND p_event = ANY (w.events)
      AND (w.channel IS NOT NULL OR NOT p_resolved) AND (p_webhooks IS NULL OR w.id = ANY (p_webhooks))
      AND CASE WHEN w.only_failed AND p_event LIKE '%.finished'
        THEN p_data ->> 'status' = 'failed' OR coalesce((p_data #>> '{counts,failed}')::bigint, 0) > 0 ELSE true END
    FOR KEY SHARE
  ) subscribed;
  v_count := cardinality(v_webhooks) + (p_url IS NOT NULL)::int;
  IF v_count = 0 THEN RETURN 0; END IF;
  v_payload := CASE WHEN p_resolved
    THEN json_build_object('type', p_event, 'resolved', true,
      'timestamp', engine.iso_time(clock_timestamp()), 'data', p_data)
    ELSE json_build_object('type', p_event, 'timestamp', engine.iso_time(clock_timestamp()), 'data', p_data) END::text;
  IF v_count > 1 THEN
    INSERT INTO gleaner.webhook_events (payload) VALUES (v_payload) RETURNING no INTO v_event;
    v_payload := 'null';
  END IF;
  INSERT INTO gleaner.outbox (id, account_id, webhook_id, run_id, url, event, event_no, payload, next_attempt_at)
  SELECT engine.create_id('dlv'), p_account, destination.webhook_id, p_run, destination.url, p_event, v_event, v_payload,
    CASE WHEN destination.channel IS NULL THEN now() ELSE now() + interval '10 seconds' END
  FROM (
    SELECT w.id AS webhook_id, w.url, w.channel FROM gleaner.webhooks w WHERE w.id = ANY (v_webhooks)
    UNION ALL
    SELECT NULL, p_url, NULL WHERE p_url IS NOT NULL
  ) destination;
  RETURN v_count;
END
$$;

-- The part of a job's event about its one task: the result up to 64 KB, else the address of the result, or the error. A
-- result that is no jsonb is left out: no result may prevent the end of its job.
CREATE FUNCTION engine.job_outcome(p_no bigint, p_id text, p_mode text) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'result', CASE WHEN octet_length(o.answer) <= 65536 AND pg_input_is_valid(o.answer, 'jsonb')
      THEN o.answer::jsonb END,
    'result_url', CASE WHEN o.ok AND p_mode = 'return' THEN '/v1/jobs/' || p_id END,
    'error', CASE WHEN NOT o.ok THEN jsonb_strip_nulls(jsonb_build_object(
      -- The texts of the catalogue are its codes in words, except two.
      'error', CASE o.error ->> 'code' WHEN 'internal' THEN 'internal error'
        WHEN 'batch_writes_to_database' THEN 'batch writes to a database' ELSE replace(o.error ->> 'code', '_', ' ') END,
      'field', o.error -> 'field', 'detail', o.error -> 'detail', 'hint', o.error -> 'hint')) END)
  FROM (SELECT 1) one LEFT JOIN gleaner.results o ON o.run_no = p_no AND o.seq = 0
$$;

-- Notes that a run changed rows, when somebody wants to be told: a duty reads them from the feeds, which may be in another
-- database, and emits rows.changed.
CREATE FUNCTION engine.tell_changes(p_run gleaner.runs) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.told_runs AS t (run_no, account_id)
  SELECT p_run.no, p_run.account_id
  WHERE (p_run.kind = 'workflow' OR p_run.sink ->> 'mode' = 'database')
    AND EXISTS (SELECT FROM gleaner.webhooks w
      WHERE w.account_id = p_run.account_id AND w.is_enabled AND w.confirmed AND 'rows.changed' = ANY (w.events))
    AND EXISTS (SELECT FROM gleaner.feeds f WHERE f.account_id = p_run.account_id AND f.is_on)
  ON CONFLICT (run_no) DO UPDATE SET due_at = now(), tries = 0
$$;

-- Rows of these runs that wait for a decision.
CREATE FUNCTION engine.held_rows(p_runs bigint[]) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM gleaner.quarantined_rows q
  WHERE q.run_no = ANY (p_runs) AND q.state IN ('suspect', 'held', 'releasing')
$$;

-- Emits the event of a run's end. Called in the transaction that ends the run, after its row was updated.
CREATE FUNCTION engine.emit_run_event(p_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_run gleaner.runs;
BEGIN
  SELECT * INTO v_run FROM gleaner.runs r WHERE r.no = p_no;
  IF NOT FOUND OR v_run.kind = 'stage' THEN RETURN; END IF;
  PERFORM engine.tell_changes(v_run);
  IF v_run.kind = 'workflow' THEN
    PERFORM engine.emit_event(
      v_run.account_id, 'workflow_run.finished', engine.workflow_event(v_run), v_run.id, v_run.webhook_url);
    RETURN;
  END IF;
  PERFORM engine.emit_event(
    v_run.account_id,
    v_run.kind || '.finished',
    (jsonb_build_object(
      'id', v_run.id,
      'name', v_run.name,
      'status', v_run.state,
      'mode', v_run.mode,
      'counts', jsonb_build_object(
        'total', v_run.total, 'succeeded', v_run.succeeded, 'failed', v_run.failed, 'cancelled', v_run.cancelled),
      'has_failures', v_run.failed > 0,
      'held', engine.held_rows(ARRAY[p_no]),
      'credits', jsonb_build_object('used', v_run.used),
      'created_at', engine.iso_time(v_run.created_at),
      'started_at', engine.iso_time(v_run.started_at),
      'finished_at', engine.iso_time(v_run.finished_at))
      || CASE v_run.kind WHEN 'job' THEN engine.job_outcome(p_no, v_run.id, v_run.mode) ELSE '{}' END)::json,
    v_run.id,
    v_run.webhook_url);
END
$$;
