-- Runs of crons that ended with cancelled tasks, whose entries are made new again in parts: tasks from `seq` on are left.
-- A negative number is that of a cron, of which all entries are removed.
CREATE TABLE gleaner.unforgotten_runs (
  run_no bigint PRIMARY KEY,
  cron_no bigint NOT NULL,
  seq integer NOT NULL DEFAULT 0
);
