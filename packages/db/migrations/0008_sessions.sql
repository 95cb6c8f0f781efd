-- Sessions of the dashboard, and the one-time links that open one. Only digests of their tokens are stored.
CREATE TABLE gleaner.sessions (
  digest bytea PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('account', 'operator')),
  key_id text REFERENCES gleaner.api_keys (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CHECK ((kind = 'account') = (key_id IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX sessions_key ON gleaner.sessions (key_id, created_at);
--> statement-breakpoint
CREATE INDEX sessions_expiry ON gleaner.sessions (expires_at);
--> statement-breakpoint
CREATE TABLE gleaner.sign_in_links (
  digest bytea PRIMARY KEY,
  key_id text NOT NULL REFERENCES gleaner.api_keys (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE INDEX sign_in_links_key ON gleaner.sign_in_links (key_id);
