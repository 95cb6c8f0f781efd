CREATE TABLE gleaner.databases (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('managed', 'postgres')),
  connection bytea,
  host text,
  reader text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT databases_name UNIQUE (account_id, name),
  CONSTRAINT databases_connection CHECK ((kind = 'postgres') = (connection IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX databases_account ON gleaner.databases (account_id, id);
--> statement-breakpoint
CREATE TABLE gleaner.webhooks (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  url text NOT NULL,
  events text[] NOT NULL,
  secret bytea NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX webhooks_account ON gleaner.webhooks (account_id, id);
--> statement-breakpoint
CREATE TABLE gleaner.webhook_secrets (
  account_id text PRIMARY KEY REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  secret bytea NOT NULL
);
--> statement-breakpoint
CREATE TABLE gleaner.outbox (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  webhook_id text REFERENCES gleaner.webhooks (id) ON DELETE CASCADE,
  run_id text,
  url text NOT NULL,
  event text NOT NULL,
  payload text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  round_at timestamptz(3) NOT NULL DEFAULT now(),
  next_attempt_at timestamptz(3),
  response_status integer,
  response_body text,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  attempted_at timestamptz(3),
  delivered_at timestamptz(3),
  CONSTRAINT outbox_next CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX outbox_due ON gleaner.outbox (next_attempt_at) WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX outbox_account ON gleaner.outbox (account_id, id);
--> statement-breakpoint
CREATE INDEX outbox_webhook ON gleaner.outbox (webhook_id, id) WHERE webhook_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX outbox_run ON gleaner.outbox (run_id) WHERE run_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX outbox_finished ON gleaner.outbox (created_at) WHERE state <> 'pending';
