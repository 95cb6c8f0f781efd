-- Tasks that were fetched before their address had a place in the order of a crawl.
CREATE TABLE gleaner.guesses (
  run_no bigint NOT NULL,
  hash bigint NOT NULL,
  seq integer NOT NULL,
  depth smallint NOT NULL,
  PRIMARY KEY (run_no, hash)
);
--> statement-breakpoint
-- Whether the links of the page were guessed from.
ALTER TABLE gleaner.fetched_pages ADD COLUMN is_guessed boolean NOT NULL DEFAULT false;
