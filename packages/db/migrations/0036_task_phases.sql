-- How long the phases of a task's last attempt took: of failures, and of the one task of a job. Null for all others.
ALTER TABLE gleaner.results ADD COLUMN phases jsonb;
