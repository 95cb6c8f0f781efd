-- What chunks saw of parsers, appended with their outcomes; the scheduler adds it to parser_health and removes it.
CREATE TABLE gleaner.health_deltas (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL,
  parser_id text NOT NULL,
  version integer NOT NULL,
  delta jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE gleaner.parser_health (
  account_id text NOT NULL,
  parser_id text NOT NULL,
  version integer NOT NULL,
  host text NOT NULL,
  state text NOT NULL,
  pages bigint NOT NULL,
  stats jsonb NOT NULL,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (parser_id, version, host)
);
--> statement-breakpoint
-- Rows that wait because the parser seems broken. `suspect`: its page alone looks wrong; `held`: for a person to decide.
CREATE TABLE gleaner.quarantined_rows (
  run_no bigint NOT NULL,
  seq integer NOT NULL,
  account_id text NOT NULL,
  parser_id text NOT NULL,
  version integer NOT NULL,
  host text NOT NULL,
  state text NOT NULL,
  url text NOT NULL,
  answer text NOT NULL,
  reason text NOT NULL,
  fetched_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (run_no, seq)
);
--> statement-breakpoint
CREATE INDEX quarantined_rows_suspect ON gleaner.quarantined_rows (created_at) WHERE state IN ('suspect', 'releasing');
--> statement-breakpoint
CREATE INDEX quarantined_rows_age ON gleaner.quarantined_rows (created_at);
