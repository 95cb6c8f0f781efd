-- How the installation was, every five minutes of the last day.
CREATE TABLE gleaner.system_samples (
  at timestamptz(0) PRIMARY KEY,
  -- Of the oldest work that has a slot and that no worker has taken; null: none waits.
  queue_age_seconds double precision,
  -- Of all live workers and schedulers; null: none reports it.
  memory_bytes double precision,
  -- Pages that wait for their next attempt.
  waiting bigint NOT NULL
);
