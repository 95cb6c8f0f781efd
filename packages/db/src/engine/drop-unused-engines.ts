import type { Sql } from '../database.ts';
import { ENGINE } from './engine-schema.ts';

/** A process that was not seen for this long is gone, or exits when it is seen again. */
const UNSEEN = '1 hour';
/** While a long transaction uses a version's functions, dropping them is left to a later round. */
const LOCK_TIMEOUT_MS = 2_000;

/** One schema: named by `engineSchemaOf`, or the only one of earlier versions. */
const SCHEMA = /^engine(_[0-9a-f]{12})?$/;

/**
 * Drops the functions of versions that were migrated to before this process's version, and that no process has used for
 * an hour. Newer ones stay: their processes may be about to start. Any number of processes may call it.
 * @param engine replaced in tests: the schema of this version's functions
 * @returns the dropped schemas
 */
export async function dropUnusedEngines(sql: Sql, engine = ENGINE): Promise<string[]> {
  const candidates = await sql<{ schema: string }[]>`
    SELECT v.schema FROM gleaner.engine_versions v JOIN gleaner.engine_versions own ON own.schema = ${engine}
    WHERE v.installed_at < own.installed_at AND v.schema <> own.schema ORDER BY v.installed_at`;
  const dropped: string[] = [];
  for (const { schema } of candidates) if (await dropUnused(sql, schema)) dropped.push(schema);
  return dropped;
}

async function dropUnused(sql: Sql, schema: string): Promise<boolean> {
  if (!SCHEMA.test(schema)) throw new Error(`${schema} is not a schema of functions`);
  return sql.begin(async (tx) => {
    // A process that starts now refers to this row: it waits, and then stops because the row is gone.
    const [locked] = await tx`
      SELECT FROM gleaner.engine_versions WHERE schema = ${schema} FOR UPDATE SKIP LOCKED`;
    if (!locked) return false;
    const [user] = await tx`
      SELECT FROM gleaner.processes WHERE engine = ${schema} AND seen_at > now() - ${UNSEEN}::text::interval LIMIT 1`;
    if (user) return false;
    await tx.unsafe(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await tx`DROP SCHEMA IF EXISTS ${tx(schema)} CASCADE`;
    await tx`DELETE FROM gleaner.engine_versions WHERE schema = ${schema}`;
    // What versions before 0030 compare: they install their functions again.
    if (schema === 'engine') await tx`DELETE FROM gleaner.settings WHERE name = 'functions'`;
    return true;
  });
}
