-- While a long transaction is open (pg_dump, for example), Postgres keeps every old version of a row, and an index scan
-- reads all versions that it meets. These columns and indexes let scans begin at the present ones.

-- Grows with every 16th change of an account. The present version of an account is among the few with its highest
-- generation. `latest_of` is the id, for an index of its own: with `id`, Postgres may choose the primary key, where all
-- versions are in one place.
ALTER TABLE gleaner.accounts
  ADD COLUMN changes bigint NOT NULL DEFAULT 0,
  ADD COLUMN generation bigint NOT NULL DEFAULT 0,
  ADD COLUMN latest_of text NOT NULL GENERATED ALWAYS AS (id) STORED,
  -- No open run of a queue was served before its floor, and no chunk with slots was admitted before its floor.
  -- Microseconds since the epoch.
  ADD COLUMN http_floor bigint NOT NULL DEFAULT 0,
  ADD COLUMN browser_floor bigint NOT NULL DEFAULT 0,
  ADD COLUMN chunk_floor bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE INDEX accounts_latest ON gleaner.accounts (latest_of, generation);
--> statement-breakpoint
CREATE FUNCTION gleaner.count_account_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.changes := OLD.changes + 1;
  IF NEW.changes % 16 = 0 THEN NEW.generation := OLD.generation + 1; END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER accounts_count_change BEFORE UPDATE ON gleaner.accounts
FOR EACH ROW EXECUTE FUNCTION gleaner.count_account_change();
--> statement-breakpoint
-- When the chunk got slots, in microseconds since the epoch; renewed while it runs.
ALTER TABLE gleaner.chunks
  ADD COLUMN seen_at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
--> statement-breakpoint
DROP INDEX gleaner.chunks_live;
--> statement-breakpoint
CREATE INDEX chunks_live ON gleaner.chunks (account_id, seen_at) WHERE state <> 'pending';
--> statement-breakpoint
CREATE FUNCTION gleaner.see_chunk() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.seen_at := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER chunks_see BEFORE UPDATE ON gleaner.chunks
FOR EACH ROW WHEN (NEW.state <> 'pending'
  AND (OLD.state = 'pending' OR OLD.seen_at < extract(epoch FROM clock_timestamp()) * 1000000 - 5000000))
EXECUTE FUNCTION gleaner.see_chunk();
--> statement-breakpoint
-- A run that may be cut into chunks again counts as served a second ago at most: so it is above its floor, which is 2 s old at least.
CREATE FUNCTION gleaner.serve_reopened_run() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.last_served := greatest(NEW.last_served, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1000000);
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER runs_serve_reopened BEFORE UPDATE ON gleaner.runs
FOR EACH ROW WHEN (NOT OLD.is_open AND NEW.state IN ('pending', 'running') AND NEW.carved < NEW.total
  AND NEW.succeeded + NEW.held < NEW.budget AND NOT NEW.waits_for_sink)
EXECUTE FUNCTION gleaner.serve_reopened_run();
