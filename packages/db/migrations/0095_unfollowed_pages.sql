ALTER TABLE gleaner.crawls ADD COLUMN unfollowed_pages integer NOT NULL DEFAULT 0;
