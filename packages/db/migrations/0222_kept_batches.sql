-- Batches without a database whose results become rows of a table: `after_seq` is the last one that was read.
CREATE TABLE gleaner.kept_batches (
  run_no bigint NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  sink jsonb NOT NULL,
  state text NOT NULL DEFAULT 'running',
  after_seq integer NOT NULL DEFAULT -1,
  results integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  detail text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX kept_batches_running ON gleaner.kept_batches (created_at) WHERE state = 'running';
