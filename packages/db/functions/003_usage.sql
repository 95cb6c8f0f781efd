-- Usage: noted in the transaction that ends and charges the work; the leading scheduler adds the notes to counters by hour.

-- Pages that ended, and what they cost. Null: without a key, parser, cron or host.
CREATE TYPE engine.usage AS (
  account_id text, key_id text, parser_id text, cron_id text, host text, succeeded bigint, failed bigint, credits bigint
);

-- The host of an address; empty for parameters of a prebuilt API.
CREATE FUNCTION engine.host_of(p_input text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN left(p_input, 1) = '{' THEN '' ELSE left(lower(split_part(split_part(split_part(split_part(
    split_part(p_input, '/', 3), '?', 1), '#', 1), '\', 1), '@', -1)), 253) END
$$;

-- Notes what was used. Ends append: a counter that each of them changed would have a version for each while a transaction
-- of somebody keeps them, and every end would read those.
CREATE FUNCTION engine.count_usage(p_usages engine.usage[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.usage_deltas (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
  SELECT u.account_id, date_trunc('hour', clock_timestamp(), 'UTC'), coalesce(u.key_id, ''), coalesce(u.parser_id, ''),
    coalesce(u.cron_id, ''), coalesce(u.host, ''), sum(u.succeeded), sum(u.failed), sum(u.credits)
  FROM unnest(p_usages) u GROUP BY u.account_id, u.key_id, u.parser_id, u.cron_id, u.host
$$;

-- Adds at most p_limit notes to the counters of their hours. Returns how many. The 201st host of an account's day, and those
-- after it, count as `other`. One transaction at a time does this.
CREATE FUNCTION engine.fold_usage(p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_notes gleaner.usage_deltas[];
BEGIN
  WITH gone AS (
    DELETE FROM gleaner.usage_deltas d WHERE d.id IN (SELECT o.id FROM gleaner.usage_deltas o ORDER BY o.id LIMIT p_limit)
    RETURNING d.*
  ) SELECT coalesce(array_agg(g), '{}') INTO v_notes FROM gone g;
  INSERT INTO gleaner.usage_hosts (account_id, day, host)
  SELECT n.account_id, n.day, n.host FROM (
    SELECT w.account_id, w.day, w.host, row_number() OVER (PARTITION BY w.account_id, w.day ORDER BY w.host) AS place
    FROM (
      SELECT DISTINCT u.account_id, (u.hour AT TIME ZONE 'UTC')::date AS day, u.host FROM unnest(v_notes) u WHERE u.host <> ''
    ) w
    WHERE NOT EXISTS (
      SELECT 1 FROM gleaner.usage_hosts k WHERE k.account_id = w.account_id AND k.day = w.day AND k.host = w.host)
  ) n
  WHERE n.place + (SELECT count(*) FROM gleaner.usage_hosts k WHERE k.account_id = n.account_id AND k.day = n.day) <= 200
  ON CONFLICT DO NOTHING;
  INSERT INTO gleaner.usage_hours AS h (
    account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits, rows_new, rows_changed, rows_removed)
  SELECT n.account_id, n.hour, n.key_id, n.parser_id, n.cron_id, n.host, sum(n.succeeded), sum(n.failed), sum(n.credits),
    sum(n.rows_new), sum(n.rows_changed), sum(n.rows_removed)
  FROM (
    SELECT u.account_id, u.hour, u.key_id, u.parser_id, u.cron_id, u.succeeded, u.failed, u.credits, u.rows_new, u.rows_changed,
      u.rows_removed,
      CASE WHEN u.host = '' OR EXISTS (
        SELECT 1 FROM gleaner.usage_hosts k
        WHERE k.account_id = u.account_id AND k.day = (u.hour AT TIME ZONE 'UTC')::date AND k.host = u.host
      ) THEN u.host ELSE 'other' END AS host
    FROM unnest(v_notes) u
  ) n GROUP BY n.account_id, n.hour, n.key_id, n.parser_id, n.cron_id, n.host
  ON CONFLICT (account_id, hour, key_id, parser_id, cron_id, host) DO UPDATE SET
    succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed, credits = h.credits + excluded.credits,
    rows_new = h.rows_new + excluded.rows_new, rows_changed = h.rows_changed + excluded.rows_changed,
    rows_removed = h.rows_removed + excluded.rows_removed;
  RETURN cardinality(v_notes);
END
$$;
