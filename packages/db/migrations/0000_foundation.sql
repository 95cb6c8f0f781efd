CREATE TABLE gleaner.accounts (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  is_active boolean NOT NULL DEFAULT true,
  granted bigint NOT NULL DEFAULT 0,
  balance bigint NOT NULL DEFAULT 0,
  reserved bigint NOT NULL DEFAULT 0,
  used bigint NOT NULL DEFAULT 0,
  concurrency integer NOT NULL CHECK (concurrency >= 1),
  requests_per_minute integer NOT NULL CHECK (requests_per_minute >= 1),
  pending_limit integer NOT NULL CHECK (pending_limit >= 0),
  cron_limit integer NOT NULL CHECK (cron_limit >= 0),
  cron_min_interval_seconds integer NOT NULL CHECK (cron_min_interval_seconds >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT accounts_granted CHECK (balance + used = granted),
  CONSTRAINT accounts_reserved CHECK (reserved >= 0 AND reserved <= balance),
  CONSTRAINT accounts_used CHECK (used >= 0)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE gleaner.api_keys (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  public_id text NOT NULL UNIQUE,
  last_four text NOT NULL,
  digest bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
--> statement-breakpoint
CREATE INDEX api_keys_account ON gleaner.api_keys (account_id);
--> statement-breakpoint
CREATE TABLE gleaner.ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('grant', 'reserve', 'settle', 'release')),
  credits bigint NOT NULL,
  reference text NOT NULL,
  part integer NOT NULL DEFAULT 0,
  slice integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE UNIQUE INDEX ledger_entries_once ON gleaner.ledger_entries (reference, part, slice, kind);
--> statement-breakpoint
CREATE INDEX ledger_entries_account ON gleaner.ledger_entries (account_id, id);
--> statement-breakpoint
CREATE TABLE gleaner.parsers (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  version integer NOT NULL,
  scrape_config jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3)
);
--> statement-breakpoint
CREATE INDEX parsers_account ON gleaner.parsers (account_id, id);
--> statement-breakpoint
CREATE TABLE gleaner.parser_versions (
  parser_id text NOT NULL REFERENCES gleaner.parsers (id) ON DELETE CASCADE,
  version integer NOT NULL,
  schema json NOT NULL,
  restored_from integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (parser_id, version)
);
--> statement-breakpoint
CREATE TABLE gleaner.requests (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('task', 'slot')),
  state text NOT NULL CHECK (state IN ('waiting', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
  queue text NOT NULL,
  attempt integer NOT NULL DEFAULT 1,
  price integer NOT NULL,
  spec json,
  waiter text,
  worker_id text,
  lease_until timestamptz(3) NOT NULL,
  deadline_at timestamptz(3) NOT NULL,
  answer text,
  error jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE INDEX requests_live ON gleaner.requests (account_id) WHERE state IN ('waiting', 'queued', 'running');
--> statement-breakpoint
CREATE INDEX requests_lease ON gleaner.requests (lease_until) WHERE state IN ('waiting', 'queued', 'running');
--> statement-breakpoint
CREATE INDEX requests_finished ON gleaner.requests (finished_at) WHERE finished_at IS NOT NULL;
--> statement-breakpoint
CREATE TABLE gleaner.idempotency_keys (
  account_id text NOT NULL,
  key text NOT NULL,
  operation text NOT NULL,
  request_digest bytea NOT NULL,
  status integer,
  answer jsonb,
  lease_until timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
--> statement-breakpoint
CREATE INDEX idempotency_keys_created ON gleaner.idempotency_keys (created_at);
--> statement-breakpoint
CREATE TABLE gleaner.workers (
  id text PRIMARY KEY,
  engines text[] NOT NULL,
  pid integer NOT NULL,
  host text NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  refuses text,
  metrics jsonb
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE gleaner.canaries (
  queue text PRIMARY KEY,
  consumed_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE gleaner.rate_limits (
  key text PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE gleaner.settings (
  name text PRIMARY KEY,
  value text NOT NULL
);
