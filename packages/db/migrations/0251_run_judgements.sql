-- Ended runs of crons and workflows that wrote a table with history: whether rows that their pages give no more are marked as removed.
CREATE TABLE gleaner.run_judgements (
  run_no bigint PRIMARY KEY,
  account_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  due_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX run_judgements_due ON gleaner.run_judgements (due_at);
