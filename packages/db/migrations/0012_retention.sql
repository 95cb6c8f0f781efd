-- What is left of ledger entries after their retention: sums by account and day. Entries and days together prove each
-- account's balance.
CREATE TABLE gleaner.ledger_days (
  account_id text NOT NULL,
  day date NOT NULL,
  granted bigint NOT NULL,
  reserved bigint NOT NULL,
  settled bigint NOT NULL,
  released bigint NOT NULL,
  entries bigint NOT NULL,
  PRIMARY KEY (account_id, day)
) WITH (fillfactor = 70);
--> statement-breakpoint
CREATE INDEX runs_finished ON gleaner.runs (finished_at) WHERE finished_at IS NOT NULL;
--> statement-breakpoint
-- Headers and cookies of customers end with the work that they were sent for, whichever version of the functions ends
-- it.
CREATE FUNCTION gleaner.forget_run_secrets() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.config := jsonb_set(NEW.config, '{sealed}', 'null');
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER runs_forget_secrets BEFORE UPDATE ON gleaner.runs
FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL AND NEW.config ? 'sealed')
EXECUTE FUNCTION gleaner.forget_run_secrets();
--> statement-breakpoint
CREATE FUNCTION gleaner.forget_request_spec() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.spec := NULL;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER requests_forget_spec BEFORE UPDATE ON gleaner.requests
FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL AND NEW.spec IS NOT NULL)
EXECUTE FUNCTION gleaner.forget_request_spec();
