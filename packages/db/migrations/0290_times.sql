-- Pages of a run by minute, and why some failed: {code: count}. For a week.
CREATE TABLE gleaner.run_minutes (
  run_id text NOT NULL,
  minute timestamptz(0) NOT NULL,
  account_id text NOT NULL,
  succeeded integer NOT NULL,
  failures jsonb NOT NULL,
  PRIMARY KEY (run_id, minute)
) WITH (fillfactor = 70);
--> statement-breakpoint
CREATE INDEX run_minutes_age ON gleaner.run_minutes (minute);
--> statement-breakpoint
CREATE INDEX run_minutes_account ON gleaner.run_minutes (account_id);
--> statement-breakpoint
-- How often each field of a parser had a value on a day: {path: [pages, pages with a value]}. As long as its health.
CREATE TABLE gleaner.parser_days (
  parser_id text NOT NULL,
  day date NOT NULL,
  account_id text NOT NULL,
  fields jsonb NOT NULL,
  PRIMARY KEY (parser_id, day)
) WITH (fillfactor = 70);
--> statement-breakpoint
CREATE INDEX parser_days_age ON gleaner.parser_days (day);
--> statement-breakpoint
CREATE INDEX parser_days_account ON gleaner.parser_days (account_id);
