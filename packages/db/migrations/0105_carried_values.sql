-- Long values that tasks of a stage keep of their ancestors: each once for a run, however many tasks keep it.
-- `tasks.carried` and `child_batches.carried` name them by their keys.
CREATE TABLE gleaner.carried_values (
  run_no bigint NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (run_no, key)
);
