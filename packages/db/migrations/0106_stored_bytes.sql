-- What accounts store. Writes append what they add; the leading scheduler adds it up, and measures the accounts that changed.
CREATE TABLE gleaner.stored_deltas (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null: that of the run, which may not exist yet.
  account_id text,
  -- Null: what it adds is measured.
  run_no bigint,
  bytes bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
-- Inputs, results and addresses of a run, until their window is dropped.
CREATE TABLE gleaner.run_bytes (
  run_no bigint PRIMARY KEY,
  account_id text NOT NULL,
  bytes bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX run_bytes_account ON gleaner.run_bytes (account_id);
--> statement-breakpoint
CREATE TABLE gleaner.stored_bytes (
  account_id text PRIMARY KEY REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  bytes bigint NOT NULL DEFAULT 0,
  -- Of it, records that cost no credits: parsers with their samples, workflows, crons.
  free_bytes bigint NOT NULL DEFAULT 0,
  -- Of it, kept pages and files.
  kept_bytes bigint NOT NULL DEFAULT 0,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  measured_at timestamptz(3) NOT NULL DEFAULT '-infinity',
  -- How long the last measurement took.
  took interval NOT NULL DEFAULT '0'
) WITH (fillfactor = 50);
--> statement-breakpoint
INSERT INTO gleaner.stored_bytes (account_id) SELECT a.id FROM gleaner.accounts a;
