-- The tables that keep their changes. What they keep is beside them, in a managed database's schema or in an account's own
-- database; these rows count them and say where old changes are removed.
CREATE TABLE gleaner.feeds (
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  database_id text NOT NULL REFERENCES gleaner.databases (id) ON DELETE CASCADE,
  table_name text NOT NULL,
  -- Whether it keeps them now; else what is left is removed.
  is_on boolean NOT NULL DEFAULT true,
  pruned_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (database_id, table_name)
);
--> statement-breakpoint
CREATE INDEX feeds_account ON gleaner.feeds (account_id);
--> statement-breakpoint
CREATE INDEX feeds_pruned ON gleaner.feeds (pruned_at);
