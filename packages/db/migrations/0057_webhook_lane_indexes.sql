-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS gleaner.outbox_lane;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY outbox_lane ON gleaner.outbox (coalesce(webhook_id, account_id), due_at) WHERE state = 'pending';
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.outbox_under_way;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY outbox_under_way ON gleaner.outbox (account_id, claimed_until) WHERE state = 'pending' AND claimed_until IS NOT NULL;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.outbox_due_at;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY outbox_due_at ON gleaner.outbox (due_at) WHERE state = 'pending';
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.outbox_event;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY outbox_event ON gleaner.outbox (event_no) WHERE event_no IS NOT NULL;
--> statement-breakpoint
-- Deliveries from before: the trigger sets due_at and their lanes.
UPDATE gleaner.outbox SET due_at = next_attempt_at WHERE state = 'pending' AND due_at IS NULL;
