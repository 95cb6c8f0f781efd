-- outside a transaction
-- The kept pages of an address, which may be longer than an index takes.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.kept_pages_url;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY kept_pages_url ON gleaner.kept_pages (account_id, hashtextextended(url, 0));
