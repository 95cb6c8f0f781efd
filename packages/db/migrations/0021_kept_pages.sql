CREATE TABLE gleaner.kept_pages (
  id text NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  run_no bigint NOT NULL,
  run_id text NOT NULL,
  seq integer NOT NULL,
  url text NOT NULL,
  final_url text NOT NULL,
  http_status smallint NOT NULL,
  content_type text,
  fetched_at timestamptz(3) NOT NULL,
  hash bytea NOT NULL,
  size_bytes integer NOT NULL,
  error text,
  expires_at timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX kept_pages_task ON gleaner.kept_pages (run_no, seq);
--> statement-breakpoint
CREATE INDEX kept_pages_list ON gleaner.kept_pages (account_id, id);
--> statement-breakpoint
CREATE INDEX kept_pages_expiry ON gleaner.kept_pages (expires_at);
--> statement-breakpoint
ALTER TABLE gleaner.crons ADD COLUMN keep_pages text;
--> statement-breakpoint
-- The pages that the tasks of a re-parse read.
CREATE TABLE gleaner.reparsed_pages (
  run_no bigint NOT NULL,
  seq integer NOT NULL,
  page_id text NOT NULL,
  PRIMARY KEY (run_no, seq)
);
