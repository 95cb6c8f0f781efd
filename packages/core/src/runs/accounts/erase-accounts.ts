import { ENGINE, type Database, type Sql } from '@gleaner/db';
import type { QueueBackend } from '@gleaner/queue';
import type { Logger } from '../../platform/log/log.ts';
import { cancelLiveRun } from '../submission/cancel-run.ts';
import { removeDatabase } from '../../storage/databases/change-databases.ts';

interface EraseServices {
  db: Database;
  queue: QueueBackend;
  log: Logger;
}

/** Rows of one statement: about 0.1 s of work, so that no statement holds its locks for long. */
const PART = 5_000;
/** Rows with others that leave with them, such as the versions of a parser. */
const SMALL_PART = 50;
const JOBS_AT_ONCE = 500;
/** An account yields to the next one after this time and continues in the next round. */
const ROUND_MS = 5_000;

/** Rows of runs that name no account, with the second column of their key. */
const OF_RUNS = [
  ['tasks', 'seq'],
  ['results', 'seq'],
  ['frontier', 'hash'],
  ['fetched_pages', 'seq'],
  ['guesses', 'hash'],
  ['carried_values', 'key'],
  ['reparsed_pages', 'seq'],
] as const;
/** With these leave rows of other tables, which are removed before. */
const PARENTS = ['workflows', 'webhooks', 'crons', 'parsers'];
/** Removed in ways of their own; sums of what is stored leave with the account. */
const APART = ['runs', 'chunks', 'databases', 'blobs', 'stored_bytes', 'erasures'];

/** One account in one round. */
interface Round {
  services: EraseServices;
  sql: Sql;
  account: string;
  isOver: () => boolean;
  /** Adds to the receipt. */
  note: (table: string, rows: number) => Promise<void>;
}

/** Repeats a part until it removes nothing. */
async function repeat({ isOver, note }: Round, table: string, part: () => Promise<number>): Promise<void> {
  let count = 1;
  while (count > 0 && !isOver()) {
    count = await part();
    if (count > 0) await note(table, count);
  }
}

async function cancelRuns({ services, sql, account, isOver }: Round): Promise<void> {
  const live = await sql<{ id: string }[]>`
    SELECT id FROM gleaner.runs
    WHERE account_id = ${account} AND state IN ('pending', 'running') AND root_no IS NULL LIMIT 100`;
  for (const { id } of live) {
    if (isOver()) return;
    await cancelLiveRun(services, account, id);
  }
}

/** Whether something of the account still works: it ends by itself within minutes. */
async function isAlive({ sql, account }: Round): Promise<boolean> {
  const [row] = await sql<{ is_alive: boolean }[]>`
    SELECT EXISTS (SELECT FROM gleaner.runs WHERE account_id = ${account} AND state IN ('pending', 'running'))
      OR EXISTS (SELECT FROM gleaner.requests WHERE account_id = ${account} AND state IN ('waiting', 'queued', 'running'))
      AS is_alive`;
  return row?.is_alive === true;
}

/** Jobs have one task each, so that many leave at once. */
async function removeJobs({ sql, account }: Round): Promise<number> {
  const jobs = await sql<{ no: string }[]>`
    SELECT no::text FROM gleaner.runs WHERE account_id = ${account} AND kind = 'job' LIMIT ${JOBS_AT_ONCE}`;
  const numbers = jobs.map(({ no }) => no);
  if (numbers.length === 0) return 0;
  for (const [table] of OF_RUNS)
    await sql`DELETE FROM gleaner.${sql(table)} WHERE run_no = ANY (${numbers}::bigint[])`;
  await sql`DELETE FROM gleaner.runs WHERE no = ANY (${numbers}::bigint[])`;
  return numbers.length;
}

/** Removes one run: stages before the runs that they belong to. */
async function removeRun(round: Round): Promise<number> {
  const { sql, account, isOver } = round;
  const find = (isStage: boolean) => sql<{ no: string }[]>`
    SELECT no::text FROM gleaner.runs
    WHERE account_id = ${account} AND kind <> 'job' AND (root_no IS NOT NULL) = ${isStage} LIMIT 1`;
  const [run] = [...(await find(true)), ...(await find(false))];
  if (run === undefined) return 0;
  for (const [table, key] of OF_RUNS)
    await repeat(round, table, async () => {
      const { count } = await sql`
        DELETE FROM gleaner.${sql(table)} WHERE run_no = ${run.no}::bigint AND ${sql(key)} = ANY (ARRAY(
          SELECT ${sql(key)} FROM gleaner.${sql(table)} WHERE run_no = ${run.no}::bigint ORDER BY 1 LIMIT ${PART}))`;
      return count;
    });
  if (isOver()) return 0;
  await sql`SELECT ${sql(ENGINE)}.remove_stages(ARRAY[${run.no}::bigint])`;
  await sql`DELETE FROM gleaner.stages WHERE run_no = ${run.no}::bigint`;
  const { count } = await sql`DELETE FROM gleaner.runs WHERE no = ${run.no}::bigint`;
  return count;
}

/** Every table with the account's id, also those of later versions: those that others leave with come last. */
async function listTables({ sql }: Round): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
    WHERE c.relnamespace = 'gleaner'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY c.relname`;
  const names = rows.map(({ name }) => name).filter((name) => !APART.includes(name));
  return [...names.filter((name) => !PARENTS.includes(name)), ...PARENTS];
}

async function removeMarks({ sql, account }: Round): Promise<number> {
  const { count } = await sql`
    DELETE FROM gleaner.source_marks WHERE ctid = ANY (ARRAY(
      SELECT m.ctid FROM gleaner.crons c JOIN gleaner.source_marks m ON m.cron_no = c.no
      WHERE c.account_id = ${account} LIMIT ${PART}))`;
  return count;
}

/** Payloads that several deliveries share name no account. */
async function removeEvents({ sql, account }: Round): Promise<number> {
  const { count } = await sql`
    DELETE FROM gleaner.webhook_events WHERE no = ANY (ARRAY(
      SELECT e.no FROM gleaner.outbox o JOIN gleaner.webhook_events e ON e.no = o.event_no
      WHERE o.account_id = ${account} LIMIT ${PART}))`;
  return count;
}

async function removeRecords(round: Round): Promise<void> {
  const { sql, account } = round;
  await repeat(round, 'webhook_events', () => removeEvents(round));
  await repeat(round, 'source_marks', () => removeMarks(round));
  for (const table of await listTables(round)) {
    const most = PARENTS.includes(table) ? SMALL_PART : PART;
    await repeat(round, table, async () => {
      const { count } = await sql`
        DELETE FROM gleaner.${sql(table)} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM gleaner.${sql(table)} WHERE account_id = ${account} LIMIT ${most}))`;
      return count;
    });
  }
}

/** Drops managed tables; of external ones only the connection is forgotten. */
async function removeDatabases({ services: { db }, sql, account, isOver, note }: Round): Promise<void> {
  const rows = await sql<{ id: string }[]>`SELECT id FROM gleaner.databases WHERE account_id = ${account}`;
  for (const { id } of rows) {
    if (isOver()) return;
    await removeDatabase(db, account, id);
    await note('databases', 1);
  }
}

/** Lets contents expire: the duty of the scheduler removes them, also from a store beside Postgres. */
async function expireBlobs({ sql, account }: Round): Promise<number> {
  const { count } = await sql`
    UPDATE gleaner.blobs SET expires_at = now() WHERE account_id = ${account} AND hash = ANY (ARRAY(
      SELECT hash FROM gleaner.blobs WHERE account_id = ${account} AND expires_at > now() LIMIT ${PART}))`;
  return count;
}

/** Ends the erasure when nothing of the account is left. */
async function finish({ sql, account }: Round): Promise<void> {
  await sql.begin(async (tx) => {
    const [rest] = await tx`SELECT FROM gleaner.blobs WHERE account_id = ${account} LIMIT 1`;
    if (rest !== undefined) return;
    await tx`DELETE FROM gleaner.accounts WHERE id = ${account}`;
    await tx`UPDATE gleaner.erasures SET ended_at = clock_timestamp() WHERE account_id = ${account}`;
  });
}

async function eraseAccount(services: EraseServices, account: string, roundMs: number): Promise<void> {
  const { sql } = services.db;
  const until = performance.now() + roundMs;
  let removed = 0;
  const round: Round = {
    services,
    sql,
    account,
    isOver: () => performance.now() > until,
    note: async (table, rows) => {
      removed += rows;
      await sql`
        UPDATE gleaner.erasures
        SET removed = removed || jsonb_build_object(${table}::text, coalesce((removed->>${table})::bigint, 0) + ${rows}::bigint)
        WHERE account_id = ${account}`;
    },
  };
  await cancelRuns(round);
  if (await isAlive(round)) return;
  await repeat(round, 'runs', () => removeJobs(round));
  await repeat(round, 'runs', () => removeRun(round));
  await removeRecords(round);
  await removeDatabases(round);
  await repeat(round, 'blobs', () => expireBlobs(round));
  // What a process wrote meanwhile is found by the next round.
  if (removed === 0 && !round.isOver()) await finish(round);
}

/**
 * One round of all erasures that have not ended, in short statements. Each removes what it finds, so that a round after a kill
 * goes on where the last one ended.
 * @param roundMs the most time for one account
 * @throws AggregateError after the round, if accounts failed
 */
export async function eraseAccounts(services: EraseServices, roundMs = ROUND_MS): Promise<void> {
  const erasures = await services.db.sql<{ id: string }[]>`
    SELECT account_id AS id FROM gleaner.erasures WHERE ended_at IS NULL ORDER BY begun_at LIMIT 100`;
  const errors: unknown[] = [];
  for (const { id } of erasures) {
    try {
      await eraseAccount(services, id, roundMs);
    } catch (error) {
      services.log.warn({ err: error, accountId: id }, 'a part of an account was not erased; trying again');
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} accounts were not erased yet`);
}
