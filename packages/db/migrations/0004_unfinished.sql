-- Runs whose reservation does not bound how many of their tasks are unfinished.
CREATE INDEX runs_unbound ON gleaner.runs (account_id)
WHERE state IN ('pending', 'running') AND (price = 0 OR budget < total);
