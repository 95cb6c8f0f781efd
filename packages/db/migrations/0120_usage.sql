-- What was used, by hour. An empty text: without a key, parser, cron or host.
CREATE TABLE gleaner.usage_hours (
  account_id text NOT NULL,
  hour timestamptz(0) NOT NULL,
  key_id text NOT NULL,
  parser_id text NOT NULL,
  cron_id text NOT NULL,
  host text NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account_id, hour, key_id, parser_id, cron_id, host)
) WITH (fillfactor = 70);
--> statement-breakpoint
-- For the sums by day that take the place of old hours.
CREATE INDEX usage_hours_age ON gleaner.usage_hours (hour) WHERE (hour AT TIME ZONE 'UTC')::time <> '00:00';
--> statement-breakpoint
-- What ends of work noted, and the leading scheduler has not added up yet.
CREATE TABLE gleaner.usage_deltas (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL,
  hour timestamptz(0) NOT NULL,
  key_id text NOT NULL,
  parser_id text NOT NULL,
  cron_id text NOT NULL,
  host text NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL,
  credits bigint NOT NULL
);
--> statement-breakpoint
-- The hosts that an account's counters name on a day (UTC); further ones count together.
CREATE TABLE gleaner.usage_hosts (
  account_id text NOT NULL,
  day date NOT NULL,
  host text NOT NULL,
  PRIMARY KEY (account_id, day, host)
);
--> statement-breakpoint
-- What was charged before is in the ledger.
INSERT INTO gleaner.usage_hours (account_id, hour, key_id, parser_id, cron_id, host, succeeded, failed, credits)
SELECT n.account_id, n.hour, '', '', '', '', 0, 0, sum(n.credits) FROM (
  SELECT e.account_id, date_trunc('hour', e.created_at, 'UTC') AS hour, e.credits
  FROM gleaner.ledger_entries e WHERE e.kind = 'settle'
  UNION ALL
  SELECT d.account_id, d.day::timestamp AT TIME ZONE 'UTC', d.settled FROM gleaner.ledger_days d WHERE d.settled > 0
) n GROUP BY 1, 2;
--> statement-breakpoint
ALTER TABLE gleaner.runs ADD COLUMN key_id text, ADD COLUMN cron_id text;
--> statement-breakpoint
-- {key, parser, host}: what its use counts for.
ALTER TABLE gleaner.requests ADD COLUMN origin jsonb;
--> statement-breakpoint
-- The key that last changed it.
ALTER TABLE gleaner.crons ADD COLUMN key_id text;
