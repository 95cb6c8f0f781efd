-- Deliveries of webhooks and alerts: claims. An alert has one under way, which takes those that wait into it.

-- The deliveries of one account that may begin now, at most p_limit. Its lane is locked. Each claim counts as an
-- attempt, which is also its fence.
CREATE FUNCTION engine.claim_of_account(
  p_account text, p_now timestamptz, p_limit integer, p_per_webhook integer, p_failures integer, p_lease_ms integer
) RETURNS SETOF text
LANGUAGE sql AS $$
  WITH under_way AS MATERIALIZED (
    SELECT coalesce(o.webhook_id, o.account_id) AS endpoint, count(*) AS n FROM gleaner.outbox o
    WHERE o.account_id = p_account AND o.state = 'pending' AND o.claimed_until > p_now GROUP BY 1
  ), endpoints AS (
    SELECT w.id AS endpoint, CASE WHEN w.channel IS NULL AND w.failures < p_failures THEN p_per_webhook ELSE 1 END AS most
    FROM gleaner.webhooks w
    WHERE w.account_id = p_account AND w.deleted_at IS NULL AND coalesce(w.resumes_at <= p_now, true)
    UNION ALL
    SELECT p_account, p_per_webhook
  ), due AS (
    SELECT d.id, d.due_at, coalesce(u.n, 0) + row_number() OVER (PARTITION BY e.endpoint ORDER BY d.due_at) AS rank
    FROM endpoints e LEFT JOIN under_way u ON u.endpoint = e.endpoint
    CROSS JOIN LATERAL (
      SELECT o.id, o.due_at FROM gleaner.outbox o
      WHERE coalesce(o.webhook_id, o.account_id) = e.endpoint AND o.state = 'pending' AND o.due_at <= p_now
      ORDER BY o.due_at LIMIT greatest(0, e.most - coalesce(u.n, 0))
    ) d
  ), picked AS (
    SELECT o.id FROM gleaner.outbox o JOIN due d ON d.id = o.id
    WHERE o.state = 'pending' AND o.due_at <= p_now
    ORDER BY d.rank, d.due_at LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
  )
  UPDATE gleaner.outbox o
  SET attempts = o.attempts + 1, tries = o.tries + 1, attempted_at = p_now,
    next_attempt_at = p_now + p_lease_ms * interval '1 ms', claimed_until = p_now + p_lease_ms * interval '1 ms'
  FROM picked p WHERE o.id = p.id
  RETURNING o.id
$$;

-- The time before which no delivery of the account can begin: an endpoint at its limit waits for the end of a delivery,
-- which wakes the lane, or of a dead process's lease.
CREATE FUNCTION engine.next_delivery_at(
  p_account text, p_now timestamptz, p_per_account integer, p_per_webhook integer, p_failures integer
) RETURNS timestamptz
LANGUAGE sql AS $$
  WITH under_way AS MATERIALIZED (
    SELECT coalesce(o.webhook_id, o.account_id) AS endpoint, count(*) AS n, min(o.claimed_until) AS until
    FROM gleaner.outbox o
    WHERE o.account_id = p_account AND o.state = 'pending' AND o.claimed_until > p_now GROUP BY 1
  ), endpoints AS (
    SELECT w.id AS endpoint, CASE WHEN w.channel IS NULL AND w.failures < p_failures THEN p_per_webhook ELSE 1 END AS most, w.resumes_at
    FROM gleaner.webhooks w WHERE w.account_id = p_account AND w.deleted_at IS NULL
    UNION ALL
    SELECT p_account, p_per_webhook, NULL
  )
  SELECT CASE WHEN (SELECT sum(u.n) FROM under_way u) >= p_per_account THEN (SELECT min(u.until) FROM under_way u)
    ELSE min(CASE WHEN u.n >= e.most THEN u.until ELSE greatest(first.due_at, e.resumes_at) END) END
  FROM endpoints e LEFT JOIN under_way u ON u.endpoint = e.endpoint
  CROSS JOIN LATERAL (
    SELECT o.due_at FROM gleaner.outbox o
    WHERE coalesce(o.webhook_id, o.account_id) = e.endpoint AND o.state = 'pending'
    ORDER BY o.due_at LIMIT 1
  ) first
$$;

-- Claims due deliveries of the accounts that have waited longest. An account has at most p_per_account under way over all
-- processes, a webhook p_per_webhook, and one after p_failures failures in a row; all webhook_url of an account's runs
-- together count as one webhook. Deliveries of an account that is not active wait, like its other work. The cost depends on
-- the accounts and webhooks that are due, not on what waits behind.
CREATE FUNCTION engine.claim_deliveries(
  p_limit integer, p_per_account integer, p_per_webhook integer, p_failures integer, p_lease_ms integer
) RETURNS TABLE (
  id text, account_id text, webhook_id text, url text, payload text, attempts integer, tries integer,
  round_at timestamptz, round_age_ms double precision, secret bytea, event text, channel text, name text
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Times are stored in milliseconds, rounded up or down.
  v_now constant timestamptz := clock_timestamp() + interval '1 ms';
  v_account text;
  v_free integer;
  v_claimed text[] := '{}';
BEGIN
  FOREACH v_account IN ARRAY ARRAY(
    SELECT lane.account_id FROM gleaner.webhook_lanes lane JOIN gleaner.accounts a ON a.id = lane.account_id
    WHERE lane.due_at <= v_now AND a.is_active
    ORDER BY lane.due_at LIMIT p_limit FOR UPDATE OF lane SKIP LOCKED)
  LOOP
    -- Statements of a function see what others committed before the lane was locked.
    SELECT least(p_per_account - count(*), p_limit - cardinality(v_claimed)) INTO v_free FROM gleaner.outbox o
    WHERE o.account_id = v_account AND o.state = 'pending' AND o.claimed_until > v_now;
    IF v_free > 0 THEN
      v_claimed := v_claimed || ARRAY(
        SELECT engine.claim_of_account(v_account, v_now, v_free, p_per_webhook, p_failures, p_lease_ms));
    END IF;
    UPDATE gleaner.webhook_lanes lane
    SET due_at = engine.next_delivery_at(v_account, v_now, p_per_account, p_per_webhook, p_failures)
    WHERE lane.account_id = v_account;
    EXIT WHEN cardinality(v_claimed) >= p_limit;
  END LOOP;
  RETURN QUERY
    SELECT o.id, o.account_id, o.webhook_id, o.url, coalesce(e.payload, o.payload), o.attempts, o.tries, o.round_at,
      extract(epoch FROM v_now - o.round_at)::float8 * 1000, w.secret, o.event, w.channel,
      w.name
    FROM gleaner.outbox o
    LEFT JOIN gleaner.webhook_events e ON e.no = o.event_no
    LEFT JOIN gleaner.webhooks w ON w.id = o.webhook_id
    WHERE o.id = ANY (v_claimed);
END
$$;
