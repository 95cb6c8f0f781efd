-- Why a chunk that waits for its next attempt was given back, in words for the run's page.
ALTER TABLE gleaner.chunks ADD COLUMN waits_for text;
