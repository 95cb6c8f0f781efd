-- Usage: counters by hour, written in the transaction that ends and charges the work, under the account's lock.

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

-- Adds to the counters of this hour. The 201st host of an account's day, and those after it, count as `other`.
CREATE FUNCTION engine.count_usage(p_usages engine.usage[]) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_hour constant timestamptz := date_trunc('hour', clock_timestamp(), 'UTC');
  v_day constant date := (v_hour AT TIME ZONE 'UTC')::date;
BEGIN
  IF coalesce(cardinality(p_usages), 0) = 0 THEN RETURN; END IF;
  INSERT INTO gleaner.usage_hosts (account_id, day, host)
  SELECT n.account_id, v_day, n.host FROM (
    SELECT w.account_id, w.host, row_number() OVER (PARTITION BY w.account_id ORDER BY w.host) AS place
    FROM (SELECT DISTINCT u.account_id, u.host FROM unnest(p_usages) u WHERE u.host <> '') w
    WHERE NOT EXISTS (
      SELECT 1 FROM gleaner.usage_hosts k WHERE k.account_id = w.account_id AND k.day = v_day AND k.host = w.host)
  ) n
  WHERE n.place + (SELECT count(*) FROM gleaner.usage_hosts k WHERE k.account_id = n.account_id AND k.day = v_day) <= 200
  ON CONFLICT DO NOTHING;
  INSERT INTO gleaner.usage_hours AS h (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
  SELECT n.account_id, v_hour, n.key_id, n.parser_id, n.cron_id, n.host, sum(n.succeeded), sum(n.failed), sum(n.credits)
  FROM (
    SELECT u.account_id, coalesce(u.key_id, '') AS key_id, coalesce(u.parser_id, '') AS parser_id,
      coalesce(u.cron_id, '') AS cron_id, u.succeeded, u.failed, u.credits,
      CASE WHEN coalesce(u.host, '') = '' THEN '' WHEN EXISTS (
        SELECT 1 FROM gleaner.usage_hosts k WHERE k.account_id = u.account_id AND k.day = v_day AND k.host = u.host
      ) THEN u.host ELSE 'other' END AS host
    FROM unnest(p_usages) u
  ) n GROUP BY n.account_id, n.key_id, n.parser_id, n.cron_id, n.host
  ORDER BY n.account_id, n.key_id, n.parser_id, n.cron_id, n.host
  ON CONFLICT (account_id, hour, key_id, parser_id, cron_id, host) DO UPDATE SET
    succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed, credits = h.credits + excluded.credits;
END
$$;
