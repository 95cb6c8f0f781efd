-- Runs: create. Stages that wait for their first task are written by engine.create_workflow_run.

-- The clock of runs.last_served: microseconds since the epoch.
CREATE FUNCTION engine.microseconds_now() RETURNS bigint
LANGUAGE sql VOLATILE AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- A run by its number. The scan goes back, so that it begins at the entry of the version that was written last: while a long
-- transaction is open, thousands of old ones have the same number (docs/build/decisions/047-dead-entries.md).
CREATE FUNCTION engine.run_of(p_no bigint) RETURNS SETOF gleaner.runs
LANGUAGE sql STABLE AS $$ SELECT * FROM gleaner.runs run WHERE run.no BETWEEN p_no AND p_no ORDER BY run.no DESC LIMIT 1 $$;

CREATE TYPE engine.new_run AS (
  id text,
  -- Null: a number of the present time. Then `inputs` is not null.
  no bigint,
  account_id text,
  kind text,
  name text,
  mode text,
  queue text,
  target jsonb,
  config jsonb,
  sink jsonb,
  webhook_url text,
  retries integer,
  -- Credits of one success, at the dearest.
  price integer,
  -- What it may ever charge; null when that is the price of all tasks.
  max_credits bigint,
  total integer,
  -- One input per line, for small runs; null when the tasks are loaded already.
  inputs text,
  -- The key and the cron that it counts for.
  key_id text,
  cron_id text
);

-- Creates runs with their tasks, reserves their whole price and makes the turns of their accounts ready: all runs of an
-- account, or none when together they are refused. Waits for the accounts' locks. outcome: created | credits (required,
-- available) | pending (unfinished, pending_limit). There is a row for each account and queue, or one for a refused
-- account; its delivery may be null.
CREATE FUNCTION engine.submit_runs(p_runs engine.new_run[]) RETURNS TABLE (
  account text, outcome text, required bigint, available bigint, unfinished bigint, pending_limit bigint,
  delivery engine.delivery
)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$ -- live work may be none when a plan is made; planning is half of a small group
#variable_conflict use_column
DECLARE
  v_locked constant text[] := engine.lock_accounts(ARRAY(SELECT r.account_id FROM unnest(p_runs) r), 0);
  v_now constant timestamptz := clock_timestamp();
  v_served constant bigint := engine.microseconds_now();
  -- Numbers of one group follow each other, so that no two are equal.
  v_first_no constant bigint := engine.number_at(v_now) + floor(random() * 900000)::bigint;
  v_created text[] := '{}';
  v_queue text;
BEGIN
  FOR account, outcome, required, available, unfinished, pending_limit IN
    WITH judged AS MATERIALIZED (
      SELECT n.*, a.balance - a.reserved AS available, a.unfinished, a.generation, a.pending_limit::bigint AS pending_limit,
        CASE WHEN a.unfinished + n.total > a.pending_limit THEN 'pending'
          WHEN a.balance - a.reserved < n.required THEN 'credits' ELSE 'created' END AS outcome
      FROM (
        SELECT r.account_id, sum(coalesce(r.max_credits, r.price::bigint * r.total))::bigint AS required, sum(r.total) AS total
        FROM unnest(p_runs) r GROUP BY r.account_id
      ) n CROSS JOIN LATERAL engine.account_of(n.account_id) a
    ), reserved AS (
      UPDATE gleaner.accounts a SET reserved = a.reserved + j.required, unfinished = a.unfinished + j.total
      FROM judged j WHERE a.latest_of = j.account_id AND a.generation = j.generation AND j.outcome = 'created'
    )
    SELECT j.account_id, j.outcome, j.required, j.available, j.unfinished, j.pending_limit FROM judged j
    ORDER BY j.account_id
  LOOP
    delivery := NULL;
    IF outcome <> 'created' THEN RETURN NEXT; CONTINUE; END IF;
    v_created := v_created || account;
    FOR v_queue IN SELECT DISTINCT r.queue FROM unnest(p_runs) r WHERE r.account_id = account ORDER BY r.queue LOOP
      SELECT * INTO delivery FROM engine.wake_turn(account, v_queue);
      IF delivery.kind IS NULL AND engine.slots_used(account) >= (SELECT a.concurrency FROM engine.account_of(account) a) THEN
        -- No slot is free for it.
        delivery := engine.yield_notice(account);
      END IF;
      RETURN NEXT;
    END LOOP;
  END LOOP;
  IF cardinality(v_created) = 0 THEN RETURN; END IF;
  PERFORM engine.ensure_partition(v_now);
  WITH made AS MATERIALIZED (
    SELECT r.*, coalesce(r.no, v_first_no + r.place) AS number, coalesce(r.max_credits / nullif(r.price, 0), r.total) AS budget,
      coalesce(r.max_credits, r.price::bigint * r.total) AS reserved
    FROM unnest(p_runs) WITH ORDINALITY r (id, no, account_id, kind, name, mode, queue, target, config, sink,
      webhook_url, retries, price, max_credits, total, inputs, key_id, cron_id, place)
    WHERE r.account_id = ANY (v_created)
  ), tasks AS (
    INSERT INTO gleaner.tasks (run_no, seq, input)
    SELECT m.number, (t.ordinal - 1)::int, t.line
    FROM made m CROSS JOIN LATERAL string_to_table(m.inputs, E'\n') WITH ORDINALITY t (line, ordinal)
    WHERE m.inputs IS NOT NULL
  ), sized AS (
    INSERT INTO gleaner.stored_deltas (account_id, run_no, bytes)
    SELECT m.account_id, m.number, octet_length(m.inputs) + 60 * m.total FROM made m WHERE m.inputs IS NOT NULL
  ), entered AS (
    INSERT INTO gleaner.ledger_entries (account_id, kind, credits, reference)
    SELECT m.account_id, 'reserve', m.reserved, m.id FROM made m WHERE m.reserved > 0
  )
  INSERT INTO gleaner.runs (id, no, account_id, kind, name, state, mode, queue, target, config, sink, webhook_url,
    retries, price, max_credits, budget, total, last_served, reserved, created_at, expires_at, key_id, cron_id)
  SELECT m.id, m.number, m.account_id, m.kind, m.name, 'pending', m.mode, m.queue, m.target, m.config, m.sink,
    m.webhook_url, m.retries, m.price, m.max_credits, m.budget, m.total, v_served + m.place, m.reserved, now(),
    CASE m.mode WHEN 'return' THEN now() + interval '24 hours' END, m.key_id, m.cron_id
  FROM made m;
END
$$;
