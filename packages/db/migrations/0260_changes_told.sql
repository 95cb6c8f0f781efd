-- Which changed rows a webhook or an alert is told of; null: all.
ALTER TABLE gleaner.webhooks ADD COLUMN changes jsonb;
--> statement-breakpoint
-- Runs that ended while somebody wanted to be told which rows they changed. `places` is how far each feed was told.
CREATE TABLE gleaner.told_runs (
  run_no bigint NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  -- Null when all was told.
  due_at timestamptz DEFAULT now(),
  tries integer NOT NULL DEFAULT 0,
  places jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX told_runs_due ON gleaner.told_runs (due_at) WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX told_runs_created ON gleaner.told_runs (created_at);
