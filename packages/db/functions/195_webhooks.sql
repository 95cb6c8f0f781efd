-- Deliveries of webhooks: claims and removal.

-- Claims due deliveries, round robin over the lanes. A lane is a webhook, or the account for the webhook_url of its
-- runs. No lane has more than p_per_lane under way over all processes: one process claims at a time, and each statement
-- of this function sees what the process before it committed. Returns nothing while another process claims. p_served
-- holds lanes to pass over. Each claim counts as an attempt, which is also its fence.
CREATE FUNCTION engine.claim_deliveries(
  p_now timestamptz, p_limit integer, p_per_lane integer, p_served text[], p_seen integer, p_lease_ms integer
) RETURNS TABLE (
  id text, account_id text, webhook_id text, url text, payload text, attempts integer, tries integer,
  round_at timestamptz, secret bytea
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF NOT pg_try_advisory_xact_lock(engine.duty_lock('webhooks')) THEN RETURN; END IF;
  RETURN QUERY
    WITH busy AS MATERIALIZED (
      SELECT coalesce(o.webhook_id, o.account_id) AS lane, count(*) AS under_way FROM gleaner.outbox o
      WHERE o.state = 'pending' AND o.claimed_until > p_now GROUP BY 1
    ), due AS (
      SELECT o.id, coalesce(o.webhook_id, o.account_id) AS lane, o.next_attempt_at, coalesce(b.under_way, 0) AS under_way
      FROM gleaner.outbox o LEFT JOIN busy b ON b.lane = coalesce(o.webhook_id, o.account_id)
      WHERE o.state = 'pending' AND o.next_attempt_at <= p_now AND coalesce(b.under_way, 0) < p_per_lane
        AND coalesce(o.webhook_id, o.account_id) <> ALL (p_served)
        AND NOT EXISTS (SELECT 1 FROM gleaner.webhooks w WHERE w.id = o.webhook_id AND w.deleted_at IS NOT NULL)
      ORDER BY o.next_attempt_at LIMIT p_seen
    ), ranked AS (
      SELECT d.id, row_number() OVER (PARTITION BY d.lane ORDER BY d.next_attempt_at) + d.under_way AS rank FROM due d
    ), picked AS (
      SELECT o.id FROM gleaner.outbox o JOIN ranked r ON r.id = o.id
      WHERE r.rank <= p_per_lane AND o.state = 'pending' AND o.next_attempt_at <= p_now
      ORDER BY r.rank LIMIT p_limit FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE gleaner.outbox o
    SET attempts = o.attempts + 1, tries = o.tries + 1, attempted_at = p_now,
      next_attempt_at = p_now + p_lease_ms * interval '1 ms', claimed_until = p_now + p_lease_ms * interval '1 ms'
    FROM picked p WHERE o.id = p.id
    RETURNING o.id, o.account_id, o.webhook_id, o.url, o.payload, o.attempts, o.tries, o.round_at,
      (SELECT w.secret FROM gleaner.webhooks w WHERE w.id = o.webhook_id);
END
$$;

-- Removes at most p_limit deliveries of deleted webhooks, then the webhooks that have none left. Returns the number of
-- deliveries.
CREATE FUNCTION engine.remove_deleted_webhooks(p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  DELETE FROM gleaner.outbox WHERE id = ANY (ARRAY(
    SELECT o.id FROM gleaner.webhooks w JOIN gleaner.outbox o ON o.webhook_id = w.id
    WHERE w.deleted_at IS NOT NULL LIMIT p_limit FOR UPDATE OF o SKIP LOCKED));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM gleaner.webhooks w WHERE w.deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM gleaner.outbox o WHERE o.webhook_id = w.id);
  RETURN v_count;
END
$$;
