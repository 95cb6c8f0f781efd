-- Until when a sender may have the delivery under way: it counts against its webhook's limit over all processes.
ALTER TABLE gleaner.outbox ADD COLUMN claimed_until timestamptz(3);
--> statement-breakpoint
CREATE INDEX outbox_claimed ON gleaner.outbox (claimed_until) WHERE state = 'pending' AND claimed_until IS NOT NULL;
--> statement-breakpoint
-- A deleted webhook is gone for its account at once; its deliveries are removed afterwards, in batches.
ALTER TABLE gleaner.webhooks ADD COLUMN deleted_at timestamptz(3);
--> statement-breakpoint
CREATE INDEX webhooks_deleted ON gleaner.webhooks (deleted_at) WHERE deleted_at IS NOT NULL;
