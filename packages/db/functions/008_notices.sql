-- Notices to workers: `<run no>` or `<request id>` was cancelled, `yield:<account>` asks its chunks for their slots. Every login of
-- the database may listen and notify, those of managed databases too: so the channel has a name that only we can read, and
-- workers ask whether a notice is true.

INSERT INTO gleaner.settings (name, value) VALUES ('notice_channel', 'gleaner_' || replace(gen_random_uuid()::text, '-', ''))
ON CONFLICT DO NOTHING;

CREATE FUNCTION engine.notice_channel() RETURNS text
LANGUAGE sql STABLE AS $$ SELECT value FROM gleaner.settings WHERE name = 'notice_channel' $$;

CREATE FUNCTION engine.tell_workers(p_notice text) RETURNS void
LANGUAGE sql AS $$ SELECT pg_notify(engine.notice_channel(), p_notice) $$;

CREATE FUNCTION engine.is_true_notice(p_notice text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_account text := substr(p_notice, 7);
BEGIN
  IF p_notice LIKE 'yield:%' THEN
    RETURN EXISTS (
      SELECT 1 FROM gleaner.requests r WHERE r.account_id = v_account AND r.state = 'waiting' AND r.deadline_at > clock_timestamp()
    ) OR EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.account_id = v_account AND r.is_open AND r.state = 'pending' AND r.carved = 0);
  END IF;
  IF p_notice ~ '^[0-9]{1,18}$|^[0-8][0-9]{18}$' THEN
    RETURN EXISTS (SELECT 1 FROM gleaner.runs r WHERE r.no = p_notice::bigint AND r.state = 'cancelled');
  END IF;
  RETURN EXISTS (SELECT 1 FROM gleaner.requests r WHERE r.id = p_notice AND r.state = 'cancelled');
END
$$;
