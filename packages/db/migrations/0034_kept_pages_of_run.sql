-- The pages of one run, newest first, without reading those of the account's other runs.
CREATE INDEX kept_pages_run ON gleaner.kept_pages (run_id, id);
