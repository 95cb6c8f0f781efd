-- without earlier workers and schedulers
-- Work by turns (docs/engine.md): workers take chunks of the accounts that were served least. A queue has one row for
-- each account that ever had work in it. `tick` grows with each change: while a long transaction is open, old versions
-- of a row stay, and a look-up begins at the newest.
CREATE TABLE gleaner.turns (
  account_id text NOT NULL,
  queue text NOT NULL,
  tick bigint NOT NULL DEFAULT 0,
  -- ready: may have work; full: its slots are in use; idle: nothing to take before due_at.
  state text NOT NULL DEFAULT 'idle',
  -- Slot-milliseconds that its chunks had, and what it missed while it had no work.
  served double precision NOT NULL DEFAULT 0,
  due_at timestamptz(3),
  -- No open run was served earlier, and no running chunk was seen earlier; microseconds since the epoch.
  run_floor bigint NOT NULL DEFAULT 0,
  chunk_floor bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, queue, tick)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
CREATE INDEX turns_ready ON gleaner.turns (queue, served) WHERE state = 'ready';
--> statement-breakpoint
CREATE INDEX turns_due ON gleaner.turns (due_at) WHERE due_at IS NOT NULL;
--> statement-breakpoint
-- What the leader publishes, by queue; a sequence has no old versions. Start: what the least served of the accounts that wait
-- was served; a turn that becomes ready goes on there at least. Floor: a start of some seconds ago, from which takers look.
-- Share: the slot-milliseconds of one turn, so that a round of all waiting accounts takes about a second.
CREATE SEQUENCE gleaner.turn_floor_http MINVALUE 0 START 0;
--> statement-breakpoint
CREATE SEQUENCE gleaner.turn_floor_browser MINVALUE 0 START 0;
--> statement-breakpoint
CREATE SEQUENCE gleaner.turn_start_http MINVALUE 0 START 0;
--> statement-breakpoint
CREATE SEQUENCE gleaner.turn_start_browser MINVALUE 0 START 0;
--> statement-breakpoint
CREATE SEQUENCE gleaner.turn_share_http MINVALUE 0 START 1000000;
--> statement-breakpoint
CREATE SEQUENCE gleaner.turn_share_browser MINVALUE 0 START 1000000;
--> statement-breakpoint
-- Of the call that took the chunk: after a crash that loses a take, the same number may be given to other tasks.
ALTER TABLE gleaner.chunks ADD COLUMN token bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
-- Processes of earlier versions go on taking work in, and cut no more chunks.
DO $$
DECLARE
  v_schema text;
BEGIN
  FOR v_schema IN
    SELECT n.nspname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname LIKE 'engine%' AND p.proname = 'admit_chunks'
  LOOP
    EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.admit_chunks(p_account text, p_free integer)
      RETURNS SETOF %1$I.delivery LANGUAGE plpgsql AS ''BEGIN RETURN; END''', v_schema);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Nor can workers and schedulers of earlier versions start. One that stood still meanwhile ends when it reports itself:
-- it takes this error for the lack of its functions. Triggers belong to no version: a version that renames take_chunks
-- replaces them.
CREATE FUNCTION gleaner.has_turns(p_engine text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = p_engine AND p.proname = 'take_chunks')
$$;
--> statement-breakpoint
CREATE FUNCTION gleaner.refuse_earlier_process() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the database belongs to a later version, beside which a % of this version can not run', NEW.kind
    USING ERRCODE = 'foreign_key_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER processes_refuse_earlier BEFORE INSERT ON gleaner.processes FOR EACH ROW
WHEN (NEW.kind IN ('worker', 'scheduler') AND NOT gleaner.has_turns(NEW.engine))
EXECUTE FUNCTION gleaner.refuse_earlier_process();
--> statement-breakpoint
CREATE FUNCTION gleaner.refuse_earlier_functions() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the database belongs to a later version of Gleaner: start that one';
END
$$;
--> statement-breakpoint
CREATE TRIGGER engine_versions_refuse_earlier BEFORE INSERT ON gleaner.engine_versions FOR EACH ROW
WHEN (NOT gleaner.has_turns(NEW.schema)) EXECUTE FUNCTION gleaner.refuse_earlier_functions();
--> statement-breakpoint
UPDATE gleaner.chunks SET state = 'pending', slots = 0, lease_until = NULL WHERE state = 'admitted';
--> statement-breakpoint
INSERT INTO gleaner.turns (account_id, queue, state)
SELECT a.account_id, q.queue, 'ready'
FROM (SELECT DISTINCT r.account_id FROM gleaner.runs r WHERE r.state IN ('pending', 'running')) a
CROSS JOIN (VALUES ('batch-http'), ('batch-browser')) q (queue);
