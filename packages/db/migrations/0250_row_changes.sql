-- What the writes of a run changed in tables that keep their changes; null when it wrote none.
ALTER TABLE gleaner.runs ADD COLUMN rows_new bigint, ADD COLUMN rows_changed bigint, ADD COLUMN rows_removed bigint,
  ADD COLUMN rows_returned bigint;
