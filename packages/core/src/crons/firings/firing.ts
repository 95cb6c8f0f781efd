import { toStorableJson, type FiringRecord } from '@gleaner/contracts';
import { ENGINE, type Transaction, type Database } from '@gleaner/db';
import { sql } from 'drizzle-orm';

/** A firing to decide about. Times are ISO 8601. */
export interface Firing {
  id: string;
  cron: string;
  account: string;
  /** The cron's, from which the run was prepared. */
  definition: number;
  /** due: claimed from the schedule; queued: the row `id` waits; trigger: requested by the account. */
  kind: 'due' | 'queued' | 'trigger';
  cause: FiringRecord['cause'];
  /** The due time to fire; null when it was missed. */
  at: string | null;
  /** kind due: the due time that the table had when it was claimed. */
  claimed?: string;
  /** kind due: the due time after now. */
  next?: string | null;
  missed?: { id: string; at: string; reason: string }[];
}

/** The decision of `engine.decide_firings`. */
export type Decision = {
  id: string;
  decision: 'start' | 'skip' | 'wait' | 'miss' | 'refuse' | 'known' | 'locked' | 'gone';
  /** Runs that this firing replaces. */
  unfinished: string[];
};

/** A decided firing as `engine.record_firings` stores it. Without an outcome only the cron's next due time is stored. */
export interface DecidedFiring extends Firing {
  outcome?: FiringRecord['outcome'];
  reason?: string;
  run?: string;
}

/** SQL's `engine.firing[]`. */
function firingRows(firings: readonly DecidedFiring[]) {
  const rows = toStorableJson(firings);
  return sql`ARRAY(SELECT f FROM jsonb_populate_recordset(NULL::${sql.identifier(ENGINE)}.firing, ${rows}::text::jsonb) f)`;
}

/** Locks the crons, and decides. @param waits for crons that somebody else holds */
export async function decideFirings(
  tx: Transaction,
  firings: readonly Firing[],
  waits: boolean,
): Promise<Map<string, Decision>> {
  const rows = await tx.execute<Decision>(
    sql`SELECT * FROM ${sql.identifier(ENGINE)}.decide_firings(${firingRows(firings)}, ${waits})`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores decided firings in the transaction that decided them. */
export async function recordFirings(tx: Transaction, firings: readonly DecidedFiring[]): Promise<void> {
  if (firings.length === 0) return;
  await tx.execute(sql`SELECT ${sql.identifier(ENGINE)}.record_firings(${firingRows(firings)})`);
}

/** The most crons of one statement: ten thousand runs that end together are no burst of work for Postgres. */
const TOGETHER = 500;

/** Finds ended runs of firings. Consecutive failures pause their cron. */
export async function settleFirings({ sql }: Pick<Database, 'sql'>, together = TOGETHER): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: number }[]>`SELECT ${sql(ENGINE)}.settle_firings(${together}) AS count`;
    if ((row?.count ?? 0) < together) return;
  }
}
