-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.parsers_slug;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY parsers_slug ON gleaner.parsers (account_id, slug) WHERE slug IS NOT NULL AND deleted_at IS NULL;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.databases_slug;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY databases_slug ON gleaner.databases (account_id, slug) WHERE slug IS NOT NULL;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.crons_slug;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY crons_slug ON gleaner.crons (account_id, slug) WHERE slug IS NOT NULL;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.workflows_slug;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY workflows_slug ON gleaner.workflows (account_id, slug) WHERE slug IS NOT NULL;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.webhooks_slug;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY webhooks_slug ON gleaner.webhooks (account_id, slug) WHERE slug IS NOT NULL AND deleted_at IS NULL;
