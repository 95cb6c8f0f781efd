-- A name of the account's choice for a resource, which stands wherever its id can.
ALTER TABLE gleaner.parsers ADD COLUMN slug text;
--> statement-breakpoint
ALTER TABLE gleaner.databases ADD COLUMN slug text;
--> statement-breakpoint
ALTER TABLE gleaner.crons ADD COLUMN slug text;
--> statement-breakpoint
ALTER TABLE gleaner.workflows ADD COLUMN slug text;
--> statement-breakpoint
ALTER TABLE gleaner.webhooks ADD COLUMN slug text;
--> statement-breakpoint
-- Where the account keeps the schema of a version, such as a repository.
ALTER TABLE gleaner.parser_versions ADD COLUMN source text;
