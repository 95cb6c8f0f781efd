-- Crawls. A crawl is a workflow run whose first stage is several runs: its pages, its sources (robots.txt, sitemaps,
-- feeds) and one for each route that reads pages.
ALTER TABLE gleaner.workflow_runs ADD COLUMN kind text NOT NULL DEFAULT 'workflow'
  CHECK (kind IN ('workflow', 'crawl', 'map'));
--> statement-breakpoint
ALTER TABLE gleaner.workflow_runs ALTER COLUMN workflow_id DROP NOT NULL, ALTER COLUMN workflow_version DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE gleaner.stages ADD COLUMN role text CHECK (role IN ('pages', 'sources', 'route')),
  ADD COLUMN left_out integer NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TABLE gleaner.crawls (
  root_no bigint PRIMARY KEY,
  run_no bigint NOT NULL,
  sources_no bigint,
  route_runs bigint[] NOT NULL,
  page_limit integer NOT NULL,
  tries integer NOT NULL,
  max_entries integer NOT NULL,
  max_depth integer NOT NULL,
  max_hosts integer,
  hosts text[] NOT NULL,
  depth integer NOT NULL DEFAULT -1,
  number integer NOT NULL DEFAULT -1,
  next_depth integer NOT NULL,
  next_number integer NOT NULL,
  numbers integer NOT NULL,
  entries integer NOT NULL,
  source_entries integer NOT NULL,
  aside_entries integer NOT NULL DEFAULT 0,
  ahead integer NOT NULL,
  counted integer NOT NULL DEFAULT 0,
  retired integer NOT NULL DEFAULT 0,
  duplicates integer NOT NULL DEFAULT 0,
  over_limit integer NOT NULL DEFAULT 0,
  retirements integer NOT NULL DEFAULT 0,
  is_over boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE INDEX crawls_live ON gleaner.crawls (root_no) WHERE NOT is_over;
--> statement-breakpoint
CREATE TABLE gleaner.frontier (
  run_no bigint NOT NULL,
  hash bigint NOT NULL,
  number integer NOT NULL,
  seq integer,
  found_on integer,
  depth smallint NOT NULL,
  route smallint,
  status smallint,
  found "char" NOT NULL,
  outcome "char",
  is_taken boolean NOT NULL DEFAULT false,
  noindex boolean NOT NULL DEFAULT false,
  modified timestamptz(3),
  url text NOT NULL,
  canonical text,
  PRIMARY KEY (run_no, depth, number)
) PARTITION BY RANGE (run_no);
--> statement-breakpoint
CREATE UNIQUE INDEX frontier_hash ON gleaner.frontier (run_no, hash);
--> statement-breakpoint
CREATE TABLE gleaner.fetched_pages (
  run_no bigint NOT NULL,
  seq integer NOT NULL,
  identity text,
  status smallint,
  verdict text CHECK (verdict IN ('robots', 'out_of_scope')),
  noindex boolean NOT NULL DEFAULT false,
  modified timestamptz(3),
  canonical text,
  links text,
  PRIMARY KEY (run_no, seq)
);
