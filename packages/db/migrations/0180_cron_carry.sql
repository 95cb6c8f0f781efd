-- Values of its inputs that a cron's runs keep.
ALTER TABLE gleaner.crons ADD COLUMN carry jsonb;
