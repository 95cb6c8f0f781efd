-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.parser_health_alarms;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY parser_health_alarms ON gleaner.parser_health (account_id) WHERE state <> 'healthy';
