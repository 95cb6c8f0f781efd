-- Download links: the call that each stands for. `digest` is that of the secret in the address.
CREATE TABLE gleaner.export_links (
  digest bytea NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  operation text NOT NULL,
  input jsonb NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE INDEX export_links_account ON gleaner.export_links (account_id, expires_at);
--> statement-breakpoint
CREATE INDEX export_links_expiry ON gleaner.export_links (expires_at);
