import { AppError, ERRORS, toStorableJson, type ErrorCode } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { WHOLE_PAGE, type HealthDelta } from '@gleaner/learn/drift';
import type { Perform } from '../../platform/context.ts';
import { readRunsOf } from '../../storage/pages/read-pages.ts';

/** How long it is known when a run's pages were read. */
const RUN_DAYS = 7;
/** How long it is known how often a field had a value. */
const FIELD_DAYS = 90;
/** The days that a parser's health shows. */
const SHOWN_DAYS = 30;
const REMOVED_AT_ONCE = 5_000;
/** Minutes of one answer: more than a week has. */
const MOST_MINUTES = 10_100;

/** A transaction of postgres.js. */
export type Tx = Parameters<Parameters<Database['sql']['begin']>[1]>[0];

interface Counted {
  account_id: string;
  parser_id: string;
  delta: HealthDelta;
}

type Counts = Record<string, number>;
type Fields = Record<string, readonly [pages: number, filled: number]>;

function addCounts(one: Counts, other: Counts): Counts {
  const sums = { ...one };
  for (const [key, count] of Object.entries(other)) sums[key] = (sums[key] ?? 0) + count;
  return sums;
}

function addFields(one: Fields, deltas: readonly HealthDelta[]): Fields {
  const sums = new Map(Object.entries(one));
  for (const { fields } of deltas) {
    for (const [path, [pages, filled]] of Object.entries(fields)) {
      const [knownPages, knownFilled] = sums.get(path) ?? [0, 0];
      sums.set(path, [knownPages + pages, knownFilled + filled]);
    }
  }
  return Object.fromEntries(sums);
}

/** Adds pages to the minutes of their runs. One process at a time does it. */
async function countMinutes(sql: Tx, rows: readonly Counted[]): Promise<void> {
  const runs = Map.groupBy(rows, ({ delta }) => delta.runId);
  const known = await sql<{ run_id: string; failures: Counts }[]>`
    SELECT run_id, failures FROM gleaner.run_minutes
    WHERE run_id = ANY(${[...runs.keys()]}::text[]) AND minute = date_trunc('minute', now())`;
  const before = new Map(known.map((row) => [row.run_id, row.failures]));
  const added = [...runs].map(([run, own]) => ({
    run,
    account: own[0]?.account_id,
    succeeded: own.reduce((sum, { delta }) => sum + (delta.fields[WHOLE_PAGE]?.[1] ?? 0), 0),
    failures: own.reduce((sum, { delta }) => addCounts(sum, delta.failures), before.get(run) ?? {}),
  }));
  await sql`
    INSERT INTO gleaner.run_minutes AS m (run_id, minute, account_id, succeeded, failures)
    SELECT r.run, date_trunc('minute', now()), r.account, r.succeeded, r.failures
    FROM jsonb_to_recordset(${toStorableJson(added)}::text::jsonb) r (run text, account text, succeeded int, failures jsonb)
    ON CONFLICT (run_id, minute) DO UPDATE SET succeeded = m.succeeded + excluded.succeeded, failures = excluded.failures`;
}

/** Adds pages to the days of their parsers. One process at a time does it. */
async function countDays(sql: Tx, rows: readonly Counted[]): Promise<void> {
  const parsers = Map.groupBy(rows, ({ parser_id: id }) => id);
  const known = await sql<{ parser_id: string; fields: Fields }[]>`
    SELECT parser_id, fields FROM gleaner.parser_days
    WHERE parser_id = ANY(${[...parsers.keys()]}::text[]) AND day = (now() AT TIME ZONE 'UTC')::date`;
  const before = new Map(known.map((row) => [row.parser_id, row.fields]));
  const sums = [...parsers].map(([parser, own]) => ({
    parser,
    account: own[0]?.account_id,
    fields: addFields(
      before.get(parser) ?? {},
      own.map(({ delta }) => delta),
    ),
  }));
  await sql`
    INSERT INTO gleaner.parser_days (parser_id, day, account_id, fields)
    SELECT r.parser, (now() AT TIME ZONE 'UTC')::date, r.account, r.fields
    FROM jsonb_to_recordset(${toStorableJson(sums)}::text::jsonb) r (parser text, account text, fields jsonb)
    ON CONFLICT (parser_id, day) DO UPDATE SET fields = excluded.fields`;
}

/** Notes when the pages of runs were read, and which fields they had. For the process that rolls up alone. */
export async function countTimes(sql: Tx, rows: readonly Counted[]): Promise<void> {
  await countMinutes(sql, rows);
  await countDays(sql, rows);
}

/** Removes what is older than it is kept. @returns how many rows */
export async function sweepTimes({ sql }: Database): Promise<number> {
  const minutes = await sql`
    DELETE FROM gleaner.run_minutes WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM gleaner.run_minutes WHERE minute < now() - ${RUN_DAYS}::int * interval '1 day'
      LIMIT ${REMOVED_AT_ONCE}))`;
  const days = await sql`
    DELETE FROM gleaner.parser_days WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM gleaner.parser_days WHERE day < (now() - ${FIELD_DAYS}::int * interval '1 day')::date
      LIMIT ${REMOVED_AT_ONCE}))`;
  return minutes.count + days.count;
}

/** How often each field of a parser had a value on each of the last days, oldest first. */
export async function readDays({ sql }: Database, parserId: string) {
  const rows = await sql<{ day: string; fields: Fields }[]>`
    SELECT day::text, fields FROM gleaner.parser_days
    WHERE parser_id = ${parserId} AND day > (now() AT TIME ZONE 'UTC')::date - ${SHOWN_DAYS}::int ORDER BY parser_days.day`;
  return rows.map(({ day, fields }) => ({
    day,
    fields: Object.entries(fields).map(([path, [pages, filled]]) => ({ path, pages, filled })),
  }));
}

/** Pages of a run by minute, and why some failed; empty after a week. @throws AppError not_found */
export const getRunPace: Perform<'getRunPace'> = async (ctx, { params }) => {
  const { sql } = ctx.services.db;
  const [run] = await sql`SELECT FROM gleaner.runs WHERE id = ${params.id} AND account_id = ${ctx.accountId}`;
  if (run === undefined) throw new AppError('not_found');
  const runs = await readRunsOf(ctx, params.id);
  const rows = await sql<{ minute: string; succeeded: number; failures: Counts }[]>`
    SELECT minute, succeeded, failures FROM gleaner.run_minutes
    WHERE run_id = ANY(${runs}::text[]) AND account_id = ${ctx.accountId} ORDER BY minute LIMIT ${MOST_MINUTES}`;
  const minutes = Map.groupBy(rows, ({ minute }) => new Date(minute).toISOString());
  return {
    minutes: [...minutes].map(([at, own]) => ({
      at,
      succeeded: own.reduce((sum, { succeeded }) => sum + succeeded, 0),
      failures: Object.entries(own.reduce<Counts>((sum, { failures }) => addCounts(sum, failures), {})).map(
        ([code, count]) => ({ error: ERRORS[code as ErrorCode].text, count }),
      ),
    })),
  };
};
