-- Notices to workers. `<run no>` or `<request id>` means that it was cancelled; `yield:<account>` asks the account's
-- chunks for their slots. Every login of the database may LISTEN and NOTIFY, also those of managed databases. So the
-- channel has a name that only Gleaner can read, and a worker checks a notice against the tables before it acts on it.

INSERT INTO gleaner.settings (name, value)
VALUES ('notice_channel', 'gleaner_' || replace(gen_random_uuid()::text, '-', ''))
ON CONFLICT DO NOTHING;

CREATE FUNCTION engine.notice_channel() RETURNS text
LANGUAGE sql STABLE AS $$ SELECT value FROM gleaner.settings WHERE name = 'notice_channel' $$;

CREATE FUNCTION engine.notify_workers(p_notice text) RETURNS void
LANGUAGE sql AS $$ SELECT pg_notify(engine.notice_channel(), p_notice) $$;

-- Asks chunks of the account that have run for a while to give their slots to work that waits.
CREATE FUNCTION engine.ask_chunks_to_yield(p_account text) RETURNS void
LANGUAGE sql AS $$ SELECT engine.notify_workers('yield:' || p_account) $$;

-- Whether the tables confirm a notice.
CREATE FUNCTION engine.confirms_notice(p_notice text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_account text := substr(p_notice, 7);
BEGIN
  IF p_notice LIKE 'yield:%' THEN
    RETURN EXISTS (
      SELECT 1 FROM gleaner.requests r
      WHERE r.account_id = v_account AND r.state = 'waiting' AND r.deadline_at > clock_timestamp()
    ) OR EXISTS (
      SELECT 1 FROM gleaner.runs r
      WHERE r.account_id = v_account AND r.is_open AND r.state = 'pending' AND r.carved = 0
    );
  END IF;
  IF p_notice ~ '^[0-9]{1,18}$|^[0-8][0-9]{18}$' THEN
    RETURN EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.no = p_notice::bigint AND r.state = 'cancelled');
  END IF;
  RETURN EXISTS (SELECT 1 FROM gleaner.requests r WHERE r.id = p_notice AND r.state = 'cancelled');
END
$$;
