-- Notices. No function here sends one: Postgres takes one lock for all commits with a NOTIFY and holds it while that
-- commit waits for the disk, so a notice in a transaction that charges would let one account commit at a time. A
-- function returns its notices as deliveries, and the caller sends them after the commit. A lost notice costs only
-- time: a process that waits for a notice also looks at the tables.
--
-- To workers: `<run no>` or `<request id>` means that it was cancelled; `yield:<account>` asks the account's chunks for
-- their slots. Without Redis notices travel by NOTIFY, and every login of the database may LISTEN and NOTIFY, also those
-- of managed databases. So the channel has a name that only Gleaner can read, and a worker checks a notice against the
-- tables before it acts on it.
--
-- To an API process, on the channel of its inbox: `<request id>` means that the request has changed.

INSERT INTO gleaner.settings (name, value)
VALUES ('notice_channel', 'gleaner_' || replace(gen_random_uuid()::text, '-', ''))
ON CONFLICT DO NOTHING;

CREATE FUNCTION engine.notice_channel() RETURNS text
LANGUAGE sql STABLE AS $$ SELECT value FROM gleaner.settings WHERE name = 'notice_channel' $$;

CREATE FUNCTION engine.worker_notice(p_notice text) RETURNS engine.delivery
LANGUAGE sql STABLE AS $$
  SELECT ROW('notice', engine.notice_channel(), NULL, NULL, NULL, NULL, p_notice)::engine.delivery
$$;

-- Asks chunks of the account that have run for a while to give their slots to work that waits.
CREATE FUNCTION engine.yield_notice(p_account text) RETURNS engine.delivery
LANGUAGE sql STABLE AS $$ SELECT engine.worker_notice('yield:' || p_account) $$;

-- Asks the API process that waits for a request to look at it.
CREATE FUNCTION engine.answer_notice(p_waiter text, p_request_id text) RETURNS engine.delivery
LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW('notice', 'gleaner_answers_' || p_waiter, NULL, NULL, NULL, NULL, p_request_id)::engine.delivery
$$;

CREATE FUNCTION engine.has_waiting_request(p_account text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM gleaner.requests r
    WHERE r.account_id = p_account AND r.state = 'waiting' AND r.lease_until > (SELECT clock_timestamp()));
END
$$;

-- Whether the tables confirm a notice.
CREATE FUNCTION engine.confirms_notice(p_notice text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_account text := substr(p_notice, 7);
BEGIN
  IF p_notice LIKE 'yield:%' THEN
    RETURN engine.has_waiting_request(v_account) OR EXISTS (
      -- A run of which no task has begun.
      SELECT 1 FROM (VALUES ('batch-http'), ('batch-browser')) q (queue) CROSS JOIN LATERAL (
        SELECT 1 FROM gleaner.runs r
        WHERE r.account_id = v_account AND r.queue = q.queue AND r.is_open
          AND r.last_served >= engine.run_floor(v_account, q.queue) AND r.state = 'pending' AND r.carved = 0
        LIMIT 1
      ) w
    );
  END IF;
  IF p_notice ~ '^[0-9]{1,18}$|^[0-8][0-9]{18}$' THEN
    RETURN EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.no = p_notice::bigint AND r.state = 'cancelled');
  END IF;
  RETURN EXISTS (SELECT 1 FROM gleaner.requests r WHERE r.id = p_notice AND r.state = 'cancelled');
END
$$;
