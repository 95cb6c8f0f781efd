-- How often a worker began the chunk since it last gave it back in order: what repeats is counted, whatever ends it.
ALTER TABLE gleaner.chunks ADD COLUMN starts smallint NOT NULL DEFAULT 0;
