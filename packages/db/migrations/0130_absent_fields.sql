-- outside a transaction
-- Alarms are of versions that an alarm made unhealthy, and of those that lack fields which the version before had.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.parser_health_alarms;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY parser_health_alarms ON gleaner.parser_health (account_id)
  WHERE state <> 'healthy' OR stats ? 'absent';
