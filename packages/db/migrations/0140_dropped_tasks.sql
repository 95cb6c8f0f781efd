-- Stages that gave up stored tasks: those from `from_seq` on are removed in parts, before others are stored.
CREATE TABLE gleaner.dropped_tasks (
  run_no bigint PRIMARY KEY,
  root_no bigint NOT NULL,
  from_seq integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX dropped_tasks_root ON gleaner.dropped_tasks (root_no);
