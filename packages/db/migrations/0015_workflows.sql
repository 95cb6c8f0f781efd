-- Workflows. A stage of a workflow run is a run of its own (kind `stage`) under a root (kind `workflow`).
ALTER TABLE gleaner.runs DROP CONSTRAINT runs_kind_check;
--> statement-breakpoint
ALTER TABLE gleaner.runs ADD CONSTRAINT runs_kind_check CHECK (kind IN ('job', 'batch', 'workflow', 'stage'));
--> statement-breakpoint
ALTER TABLE gleaner.runs ADD COLUMN root_no bigint;
--> statement-breakpoint
CREATE INDEX runs_stages ON gleaner.runs (root_no) WHERE root_no IS NOT NULL;
--> statement-breakpoint
ALTER TABLE gleaner.tasks ADD COLUMN parent_no bigint, ADD COLUMN parent_seq integer, ADD COLUMN carried text,
  ADD COLUMN key uuid;
--> statement-breakpoint
CREATE UNIQUE INDEX tasks_key ON gleaner.tasks (run_no, key) WHERE key IS NOT NULL;
--> statement-breakpoint
CREATE TABLE gleaner.workflows (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  version integer NOT NULL,
  definition jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX workflows_account ON gleaner.workflows (account_id, id);
--> statement-breakpoint
CREATE TABLE gleaner.workflow_runs (
  no bigint PRIMARY KEY,
  id text NOT NULL,
  account_id text NOT NULL,
  workflow_id text NOT NULL,
  workflow_version integer NOT NULL,
  max_tasks integer NOT NULL,
  max_credits bigint
);
--> statement-breakpoint
CREATE INDEX workflow_runs_list ON gleaner.workflow_runs (account_id, workflow_id, id);
--> statement-breakpoint
CREATE TABLE gleaner.stages (
  run_no bigint PRIMARY KEY,
  root_no bigint NOT NULL,
  stage smallint NOT NULL,
  name text NOT NULL,
  sources smallint[] NOT NULL,
  plan jsonb NOT NULL,
  max_tasks integer,
  numbered integer NOT NULL DEFAULT 0,
  duplicates integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  over_limit integer NOT NULL DEFAULT 0,
  dropped integer NOT NULL DEFAULT 0,
  UNIQUE (root_no, stage)
);
--> statement-breakpoint
CREATE TABLE gleaner.child_batches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  root_no bigint NOT NULL,
  run_no bigint NOT NULL,
  parent_no bigint NOT NULL,
  parent_seqs integer[] NOT NULL,
  inputs text NOT NULL,
  carried text,
  refused integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX child_batches_run ON gleaner.child_batches (root_no, run_no, id);
--> statement-breakpoint
CREATE TABLE gleaner.run_pauses (
  root_no bigint PRIMARY KEY,
  account_id text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('credits', 'pending', 'limit')),
  required bigint NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now()
);
