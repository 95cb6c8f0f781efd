-- Tasks of runs that have not ended: what the pending limit bounds.
ALTER TABLE gleaner.accounts ADD COLUMN unfinished bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
UPDATE gleaner.accounts a SET unfinished = u.tasks FROM (
  SELECT r.account_id, sum(r.total - r.succeeded - r.failed - r.cancelled) AS tasks
  FROM gleaner.runs r WHERE r.state IN ('pending', 'running') GROUP BY r.account_id
) u WHERE u.account_id = a.id;
--> statement-breakpoint
DROP INDEX gleaner.runs_unbound;
--> statement-breakpoint
DROP INDEX gleaner.runs_last_served;
--> statement-breakpoint
ALTER TABLE gleaner.runs
  DROP COLUMN is_open,
  ADD COLUMN held integer NOT NULL DEFAULT 0,
  ADD COLUMN waits_for_sink boolean NOT NULL DEFAULT false;
--> statement-breakpoint
UPDATE gleaner.runs r SET held = c.tasks FROM (
  SELECT run_no, sum(succeeded + failed + remaining) AS tasks FROM gleaner.chunks GROUP BY run_no
) c WHERE c.run_no = r.no;
--> statement-breakpoint
-- What a budget ended or a cancel left is never cut into chunks.
UPDATE gleaner.runs SET carved = total WHERE state NOT IN ('pending', 'running') AND carved < total;
--> statement-breakpoint
ALTER TABLE gleaner.runs ADD COLUMN is_open boolean NOT NULL GENERATED ALWAYS AS (
  state IN ('pending', 'running') AND carved < total AND succeeded + held < budget AND NOT waits_for_sink
) STORED;
--> statement-breakpoint
CREATE INDEX runs_last_served ON gleaner.runs (account_id, queue, last_served) WHERE is_open;
--> statement-breakpoint
ALTER TABLE gleaner.chunks ADD COLUMN waiting_for_sink integer NOT NULL DEFAULT 0;
--> statement-breakpoint
DROP INDEX gleaner.chunks_due;
--> statement-breakpoint
CREATE INDEX chunks_due ON gleaner.chunks (account_id, queue, not_before) WHERE state = 'pending' AND deaths <= 2;
--> statement-breakpoint
CREATE INDEX chunks_lone ON gleaner.chunks (account_id, queue, not_before) WHERE state = 'pending' AND deaths > 2;
--> statement-breakpoint
-- Accounts that have something to admit, and when.
CREATE TABLE gleaner.due_accounts (
  account_id text PRIMARY KEY,
  due_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
CREATE INDEX due_accounts_due ON gleaner.due_accounts (due_at);
--> statement-breakpoint
INSERT INTO gleaner.due_accounts (account_id, due_at) SELECT id, now() FROM gleaner.accounts;
--> statement-breakpoint
-- Tasks that a worker runs at once in each batch queue; null in workers of earlier versions.
ALTER TABLE gleaner.workers ADD COLUMN http_capacity integer, ADD COLUMN browser_capacity integer;
--> statement-breakpoint
-- The most slots that one account's chunks of a queue may hold, so that the workers can begin what is admitted.
CREATE TABLE gleaner.queue_levels (
  queue text PRIMARY KEY,
  slots integer NOT NULL
);
