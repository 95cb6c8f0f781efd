CREATE TABLE gleaner.runs (
  id text PRIMARY KEY,
  no bigint NOT NULL UNIQUE,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('job', 'batch', 'workflow')),
  name text,
  state text NOT NULL CHECK (state IN ('pending', 'running', 'succeeded', 'failed', 'cancelled')),
  mode text NOT NULL CHECK (mode IN ('return', 'database')),
  queue text NOT NULL,
  target jsonb NOT NULL,
  config jsonb NOT NULL,
  sink jsonb,
  webhook_url text,
  retries smallint NOT NULL,
  price integer NOT NULL CHECK (price >= 0),
  budget integer NOT NULL,
  total integer NOT NULL CHECK (total >= 0),
  carved integer NOT NULL DEFAULT 0,
  next_chunk integer NOT NULL DEFAULT 0,
  is_open boolean NOT NULL DEFAULT true,
  turn bigint NOT NULL,
  task_ms real,
  succeeded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0,
  reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  used bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  expires_at timestamptz(3),
  CONSTRAINT runs_counts CHECK (succeeded >= 0 AND failed >= 0 AND cancelled >= 0 AND succeeded + failed + cancelled <= total),
  CONSTRAINT runs_budget CHECK (succeeded <= budget)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE INDEX runs_list ON gleaner.runs (account_id, kind, id);
--> statement-breakpoint
CREATE INDEX runs_turn ON gleaner.runs (account_id, turn) WHERE is_open;
--> statement-breakpoint
CREATE INDEX runs_live ON gleaner.runs (account_id) WHERE state IN ('pending', 'running');
--> statement-breakpoint
CREATE TABLE gleaner.tasks (
  run_no bigint NOT NULL,
  seq integer NOT NULL,
  input text NOT NULL,
  PRIMARY KEY (run_no, seq)
) PARTITION BY RANGE (run_no);
--> statement-breakpoint
CREATE TABLE gleaner.results (
  run_no bigint NOT NULL,
  seq integer NOT NULL,
  credits integer NOT NULL,
  attempts smallint NOT NULL,
  ok boolean NOT NULL,
  answer text,
  error jsonb,
  PRIMARY KEY (run_no, seq)
) PARTITION BY RANGE (run_no);
--> statement-breakpoint
ALTER TABLE gleaner.results ALTER COLUMN answer SET STORAGE MAIN;
--> statement-breakpoint
-- The embedded Postgres is built without lz4.
DO $$
BEGIN
  IF (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') THEN
    ALTER TABLE gleaner.results ALTER COLUMN answer SET COMPRESSION lz4;
  END IF;
END
$$;
--> statement-breakpoint
CREATE INDEX results_failures ON gleaner.results (run_no, seq) WHERE NOT ok;
--> statement-breakpoint
CREATE TABLE gleaner.chunks (
  run_no bigint NOT NULL,
  chunk integer NOT NULL,
  account_id text NOT NULL,
  queue text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'admitted', 'running')),
  attempt integer NOT NULL DEFAULT 0,
  slots integer NOT NULL DEFAULT 0,
  tries smallint NOT NULL DEFAULT 0,
  deaths smallint NOT NULL DEFAULT 0,
  from_seq integer NOT NULL,
  to_seq integer NOT NULL,
  seqs integer[],
  remaining integer NOT NULL CHECK (remaining >= 0),
  succeeded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  worker_id text,
  lease_until timestamptz(3),
  not_before timestamptz(3) NOT NULL DEFAULT now(),
  delivered_at timestamptz(3),
  deliveries smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (run_no, chunk)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
CREATE INDEX chunks_live ON gleaner.chunks (account_id) WHERE state <> 'pending';
--> statement-breakpoint
CREATE INDEX chunks_due ON gleaner.chunks (account_id, not_before) WHERE state = 'pending';
