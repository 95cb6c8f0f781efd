-- When the page of an outcome was fetched, of runs that may remove rows.
ALTER TABLE gleaner.results ADD COLUMN fetched_at timestamptz(3);
--> statement-breakpoint
-- Removals that wait for a person. state: due | held | publishing | published | discarded. source: the run's cron or workflow.
-- held: [{database, table, rows, of, no}], a table each. pages: by `database.table`, [url, when it was fetched, seconds of the epoch].
ALTER TABLE gleaner.run_judgements ADD COLUMN state text NOT NULL DEFAULT 'due', ADD COLUMN source text, ADD COLUMN held jsonb,
  ADD COLUMN pages jsonb;
