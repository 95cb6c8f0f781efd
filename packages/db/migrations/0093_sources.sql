-- Sitemaps and feeds as sources of batches, crons and workflow runs.
-- contract: earlier processes write fewer roles, which the next statement allows as well.
ALTER TABLE gleaner.stages DROP CONSTRAINT stages_role_check;
--> statement-breakpoint
ALTER TABLE gleaner.stages ADD CONSTRAINT stages_role_check CHECK (role IN ('pages', 'sources', 'route', 'source'));
--> statement-breakpoint
ALTER TABLE gleaner.crons ADD COLUMN no bigint GENERATED ALWAYS AS IDENTITY, ADD COLUMN source jsonb, ADD COLUMN since text;
--> statement-breakpoint
CREATE TABLE gleaner.run_sources (
  run_no bigint PRIMARY KEY,
  root_no bigint,
  source_no bigint NOT NULL,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('sitemap', 'feed')),
  url text NOT NULL,
  since text,
  cron_no bigint,
  max_credits bigint,
  state text NOT NULL DEFAULT 'reading' CHECK (state IN ('reading', 'read', 'failed', 'cancelled')),
  files integer,
  entries integer,
  left_out integer,
  error text
);
--> statement-breakpoint
CREATE INDEX run_sources_reading ON gleaner.run_sources (source_no) WHERE state = 'reading';
--> statement-breakpoint
CREATE INDEX run_sources_root ON gleaner.run_sources (root_no) WHERE root_no IS NOT NULL;
--> statement-breakpoint
CREATE TABLE gleaner.source_marks (
  cron_no bigint NOT NULL,
  hash bigint NOT NULL,
  run_no bigint NOT NULL,
  modified timestamptz(3),
  PRIMARY KEY (cron_no, hash)
);
