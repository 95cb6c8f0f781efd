-- Each chunk writes a row of these tables, so by the defaults they are vacuumed and analyzed at every round of autovacuum.
-- Either makes each session plan its statements again, which cost a quarter of a take. Look-ups pass old versions
-- (`tick`, `generation`, floors), and their plans do not depend on statistics.
ALTER TABLE gleaner.turns SET (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 20000);
--> statement-breakpoint
ALTER TABLE gleaner.chunks SET (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 20000,
  autovacuum_vacuum_insert_threshold = -1);
--> statement-breakpoint
ALTER TABLE gleaner.accounts SET (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 20000);
--> statement-breakpoint
ALTER TABLE gleaner.runs SET (autovacuum_vacuum_threshold = 20000, autovacuum_analyze_threshold = 20000,
  autovacuum_vacuum_insert_threshold = 20000);
