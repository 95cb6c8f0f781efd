-- Deliveries of one event to several webhooks share its payload. Processes of the version before would send the empty
-- payload of such a delivery: they never see it due, because its next_attempt_at is far away. due_at is its real time.
CREATE TABLE gleaner.webhook_events (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payload text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX webhook_events_created ON gleaner.webhook_events (created_at);
--> statement-breakpoint
ALTER TABLE gleaner.outbox ADD COLUMN event_no bigint, ADD COLUMN due_at timestamptz(3);
--> statement-breakpoint
-- A webhook that fails repeatedly gets one delivery at a time, and none before resumes_at.
ALTER TABLE gleaner.webhooks
  ADD COLUMN failures integer NOT NULL DEFAULT 0,
  ADD COLUMN failing_since timestamptz(3),
  ADD COLUMN resumes_at timestamptz(3);
--> statement-breakpoint
-- A row per account with deliveries. No delivery of the account can be claimed before due_at; null: none waits.
-- Whoever claims locks the row, which makes the limits of the account hold over all processes.
CREATE TABLE gleaner.webhook_lanes (
  account_id text PRIMARY KEY REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  due_at timestamptz(3)
);
--> statement-breakpoint
CREATE INDEX webhook_lanes_due ON gleaner.webhook_lanes (due_at) WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE FUNCTION gleaner.set_delivery_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.event_no IS NULL OR NEW.next_attempt_at IS NULL THEN
    NEW.due_at := NEW.next_attempt_at;
  ELSIF NEW.next_attempt_at < '9999-01-01T00:00:00Z' THEN
    NEW.due_at := NEW.next_attempt_at;
    NEW.next_attempt_at := '9999-01-01T00:00:00Z';
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
-- Locks the lane even when it is due already: a claim that runs at the same time can't miss the delivery.
CREATE FUNCTION gleaner.wake_lane(p_account text, p_at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO gleaner.webhook_lanes AS lane (account_id, due_at) VALUES (p_account, p_at)
  ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at
  WHERE lane.due_at IS NULL OR lane.due_at > excluded.due_at
$$;
--> statement-breakpoint
CREATE FUNCTION gleaner.wake_lane_at_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM gleaner.wake_lane(NEW.account_id, NEW.due_at);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION gleaner.wake_lane_now() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM gleaner.wake_lane(NEW.account_id, now());
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER outbox_set_due BEFORE INSERT OR UPDATE ON gleaner.outbox
FOR EACH ROW EXECUTE FUNCTION gleaner.set_delivery_due();
--> statement-breakpoint
CREATE TRIGGER outbox_wake_new AFTER INSERT ON gleaner.outbox
FOR EACH ROW WHEN (NEW.state = 'pending') EXECUTE FUNCTION gleaner.wake_lane_at_due();
--> statement-breakpoint
CREATE TRIGGER outbox_wake_earlier AFTER UPDATE ON gleaner.outbox
FOR EACH ROW WHEN (NEW.state = 'pending' AND NEW.due_at < coalesce(OLD.due_at, 'infinity'))
EXECUTE FUNCTION gleaner.wake_lane_at_due();
--> statement-breakpoint
-- A delivery ended: another one of the account may begin.
CREATE TRIGGER outbox_wake_ended AFTER UPDATE ON gleaner.outbox
FOR EACH ROW WHEN (
  OLD.state = 'pending' AND OLD.claimed_until IS NOT NULL AND (NEW.claimed_until IS NULL OR NEW.state <> 'pending'))
EXECUTE FUNCTION gleaner.wake_lane_now();
--> statement-breakpoint
CREATE TRIGGER webhooks_wake_resumed AFTER UPDATE ON gleaner.webhooks
FOR EACH ROW WHEN (OLD.resumes_at IS NOT NULL AND NEW.resumes_at IS NULL) EXECUTE FUNCTION gleaner.wake_lane_now();
