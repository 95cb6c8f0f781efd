import { AppError, toStorableJson, type ChangeFilter } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { forEachAlone } from '../../platform/process/for-each-alone.ts';
import { readDatabase } from '../databases/database-record.ts';
import { openDatabase, type DatabaseServices } from '../databases/database-services.ts';
import { readRunChanges, type ToldPlace } from './read-run-changes.ts';

type TellServices = Pick<DatabaseServices, 'db' | 'external'> & Pick<Services, 'log'>;

/** Runs of one round, those of many accounts before several of one. */
const RUNS_AT_ONCE = 50;
const ACCOUNTS_AT_ONCE = 4;
/** A database that is away is asked again after growing pauses, for a day. */
const FIRST_PAUSE_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 3_600;
const MOST_TRIES = 30;
/** How long it is known what was told of a run that may be retried. */
const KEPT_DAYS = 30;

interface ToldRun {
  no: string;
  id: string;
  account_id: string;
  due_at: string;
  age_ms: number;
  places: Record<string, ToldPlace>;
}

interface Listener {
  id: string;
  changes: ChangeFilter | null;
}

/** One table that a run wrote, with what its rows have as `_run_id`. */
interface WrittenTable {
  database: string;
  table: string;
  runs: string[];
}

interface Told {
  webhooks: string[];
  event: object;
}

async function findTables({ db }: TellServices, { no, id }: ToldRun): Promise<WrittenTable[]> {
  const rows = await db.sql<{ database: string; table: string; runs: string[] }[]>`
    SELECT sink ->> 'database' AS database, sink ->> 'table' AS table, array_agg(id) AS runs FROM gleaner.runs
    WHERE (no = ${no} OR root_no = ${no}) AND sink ->> 'mode' = 'database' GROUP BY 1, 2`;
  return rows.map((row) => ({ ...row, runs: [...new Set([id, ...row.runs])] }));
}

/** What a run changed in one table, for those who asked for it. A table or a database that is gone is told of no more. */
async function readWritten(
  services: TellServices,
  run: ToldRun,
  written: WrittenTable,
  listeners: readonly Listener[],
): Promise<{ place?: ToldPlace; told: Told[] }> {
  const { database: id, table, runs } = written;
  const groups = Map.groupBy(
    listeners.filter(({ changes }) => changes?.table === undefined || changes.table === table),
    ({ changes }) => toStorableJson([changes?.kinds, changes?.where]),
  );
  if (groups.size === 0) return { told: [] };
  const asked = [...groups.values()];
  try {
    const database = await readDatabase(services.db.orm, { accountId: run.account_id, id });
    const { schema, read } = await openDatabase({ services }, database);
    const filters = asked.map(([one]) => one?.changes ?? {});
    const answer = await read((tx) =>
      readRunChanges(tx, schema, {
        table,
        runs,
        filters,
        ageMs: run.age_ms,
        told: run.places[`${id}.${table}`],
      }),
    );
    if (!answer) return { told: [] };
    const told = answer.found.flatMap(({ counts, changes }, at) => {
      if (Object.values(counts).every((count) => count === 0)) return [];
      const event = { run_id: run.id, database: { id, name: database.name }, table, counts, changes };
      return [{ webhooks: (asked[at] ?? []).map((listener) => listener.id), event }];
    });
    return { place: answer.place, told };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return { told: [] };
    throw error;
  }
}

/** Emits what was found, unless another process has, or the run has ended again meanwhile. */
async function emit(
  { db }: TellServices,
  run: ToldRun,
  places: object,
  told: readonly Told[],
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const { count } = await tx`
      UPDATE gleaner.told_runs SET due_at = NULL, tries = 0, places = places || ${toStorableJson(places)}::text::jsonb
      WHERE run_no = ${run.no} AND due_at = ${run.due_at}::text::timestamptz`;
    if (count === 0) return;
    for (const { webhooks, event } of told)
      await tx`SELECT ${tx(ENGINE)}.emit_event(${run.account_id}, 'rows.changed', ${toStorableJson(event)}::text::json,
        ${run.id}, p_webhooks => (SELECT array_agg(w) FROM json_array_elements_text(${toStorableJson(webhooks)}::text::json) w))`;
  });
}

async function tellRun(services: TellServices, run: ToldRun): Promise<void> {
  const listeners = await services.db.sql<Listener[]>`
    SELECT id, changes FROM gleaner.webhooks
    WHERE account_id = ${run.account_id} AND is_enabled AND confirmed AND 'rows.changed' = ANY (events)`;
  const places: Record<string, ToldPlace> = {};
  const told: Told[] = [];
  for (const written of listeners.length === 0 ? [] : await findTables(services, run)) {
    const found = await readWritten(services, run, written, listeners);
    if (found.place) places[`${written.database}.${written.table}`] = found.place;
    told.push(...found.told);
  }
  await emit(services, run, places, told);
}

/**
 * Emits `rows.changed` for runs that have ended: the changes are read from the feeds, which may be in an account's own database,
 * and are told once. A database that is away is asked for a day. @returns how many runs
 */
export async function tellChanges(services: TellServices): Promise<number> {
  const { sql } = services.db;
  const runs = await sql<ToldRun[]>`
    SELECT t.run_no::text AS no, r.id, t.account_id, t.due_at::text AS due_at, t.places,
      greatest(extract(epoch FROM clock_timestamp() - r.created_at) * 1000, 0)::float8 AS age_ms
    FROM (
      SELECT d.*, row_number() OVER (PARTITION BY d.account_id ORDER BY d.due_at) AS place
      FROM gleaner.told_runs d WHERE d.due_at <= now()
    ) t JOIN gleaner.runs r ON r.no = t.run_no ORDER BY t.place, t.due_at LIMIT ${RUNS_AT_ONCE}`;
  await forEachAlone(
    [...Map.groupBy(runs, (run) => run.account_id).values()],
    async (own) => {
      for (const run of own)
        await tellRun(services, run).catch(async (error: unknown) => {
          services.log.warn({ err: error, runId: run.id }, 'changed rows were not told; trying again');
          await sql`UPDATE gleaner.told_runs SET tries = tries + 1,
            due_at = CASE WHEN tries < ${MOST_TRIES} THEN now() + interval '1 second'
              * least(${LONGEST_PAUSE_SECONDS}::float8, ${FIRST_PAUSE_SECONDS}::float8 * 2 ^ tries) END
            WHERE run_no = ${run.no} AND due_at = ${run.due_at}::text::timestamptz`;
        });
    },
    ACCOUNTS_AT_ONCE,
  );
  await sql`DELETE FROM gleaner.told_runs WHERE created_at < now() - ${KEPT_DAYS}::float8 * interval '1 day'
    AND (due_at IS NULL OR NOT EXISTS (SELECT FROM gleaner.runs r WHERE r.no = run_no))`;
  return runs.length;
}
