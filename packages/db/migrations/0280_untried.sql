-- Whether the pages of a chunk began at its way without a try of the way before.
ALTER TABLE gleaner.chunks ADD COLUMN is_untried boolean NOT NULL DEFAULT false;
