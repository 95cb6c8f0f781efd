CREATE TABLE gleaner.crons (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL,
  url text,
  inputs json,
  input_count integer NOT NULL,
  schedule text NOT NULL,
  timezone text NOT NULL,
  target jsonb NOT NULL,
  scrape_config jsonb NOT NULL,
  sink jsonb,
  is_enabled boolean NOT NULL,
  overlap text NOT NULL,
  catchup_seconds integer,
  pause_after_failures integer NOT NULL,
  max_credits bigint,
  next_fire_at timestamptz(3),
  leased_until timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  paused_reason text,
  definition integer NOT NULL DEFAULT 1,
  is_mirrored boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT crons_next CHECK (is_enabled = (next_fire_at IS NOT NULL))
) WITH (fillfactor = 80);
--> statement-breakpoint
CREATE INDEX crons_account ON gleaner.crons (account_id, id);
--> statement-breakpoint
CREATE INDEX crons_due ON gleaner.crons (next_fire_at) WHERE next_fire_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX crons_unmirrored ON gleaner.crons (id) WHERE NOT is_mirrored;
--> statement-breakpoint
CREATE TABLE gleaner.cron_firings (
  id text PRIMARY KEY,
  cron_id text NOT NULL REFERENCES gleaner.crons (id) ON DELETE CASCADE,
  account_id text NOT NULL,
  scheduled_at timestamptz(3) NOT NULL,
  fired_at timestamptz(3),
  outcome text NOT NULL,
  reason text,
  run_id text,
  cause text NOT NULL,
  is_live boolean NOT NULL DEFAULT false
);
--> statement-breakpoint
CREATE UNIQUE INDEX cron_firings_once ON gleaner.cron_firings (cron_id, scheduled_at) WHERE cause <> 'trigger';
--> statement-breakpoint
CREATE INDEX cron_firings_cron ON gleaner.cron_firings (cron_id, id);
--> statement-breakpoint
CREATE INDEX cron_firings_live ON gleaner.cron_firings (cron_id) WHERE is_live;
--> statement-breakpoint
CREATE INDEX cron_firings_queued ON gleaner.cron_firings (cron_id, scheduled_at) WHERE outcome = 'queued';
