-- A repeated answer has its keys in the order of the first one; uploads are told apart by what they hold.
ALTER TABLE gleaner.idempotency_keys ALTER COLUMN answer TYPE json USING answer::json;
--> statement-breakpoint
ALTER TABLE gleaner.idempotency_keys ADD COLUMN upload_digest bytea;
