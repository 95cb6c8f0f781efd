-- Pages on which each new version of a parser is tried.
CREATE TABLE gleaner.parser_samples (
  id text NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  parser_id text NOT NULL REFERENCES gleaner.parsers (id) ON DELETE CASCADE,
  url text,
  html bytea NOT NULL,
  size_bytes integer NOT NULL,
  expected json,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
ALTER TABLE gleaner.parser_samples ALTER COLUMN html SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE INDEX parser_samples_parser ON gleaner.parser_samples (parser_id, id);
