-- The `engine` functions of each version of Gleaner have their own schema. A version remains while a process uses it.
CREATE TABLE gleaner.engine_versions (
  schema text PRIMARY KEY,
  installed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
--> statement-breakpoint
-- Running processes of the service. The reference stops a process that starts when its functions are not here.
CREATE TABLE gleaner.processes (
  id text PRIMARY KEY,
  kind text NOT NULL,
  version text NOT NULL,
  engine text NOT NULL REFERENCES gleaner.engine_versions (schema) ON DELETE CASCADE,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE INDEX processes_engine ON gleaner.processes (engine);
--> statement-breakpoint
-- Earlier processes call the schema `engine` and do not report themselves here: it remains for a day.
INSERT INTO gleaner.engine_versions (schema, installed_at)
SELECT 'engine', now() WHERE to_regnamespace('engine') IS NOT NULL;
--> statement-breakpoint
INSERT INTO gleaner.processes (id, kind, version, engine, host, pid, seen_at)
SELECT 'earlier', 'unknown', 'unknown', v.schema, '', 0, now() + interval '1 day' FROM gleaner.engine_versions v;
--> statement-breakpoint
-- A raised concurrency or an account that is active again makes work possible. The trigger belongs to no version of
-- the functions.
CREATE FUNCTION gleaner.mark_changed_account() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO gleaner.due_accounts AS d (account_id, due_at) VALUES (NEW.id, clock_timestamp())
  ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at WHERE d.due_at > excluded.due_at;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER accounts_mark_changed AFTER UPDATE OF concurrency, is_active ON gleaner.accounts
FOR EACH ROW EXECUTE FUNCTION gleaner.mark_changed_account();
