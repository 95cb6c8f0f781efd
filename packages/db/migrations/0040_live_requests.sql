-- outside a transaction
-- With the end of the lease, a scan begins at requests whose leases still last. While a long transaction is open, Postgres
-- keeps the entries of all requests that have ended.
DROP INDEX CONCURRENTLY IF EXISTS gleaner.requests_live_until;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY requests_live_until ON gleaner.requests (account_id, lease_until)
  WHERE state IN ('waiting', 'queued', 'running');
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.requests_live;
