import { ERRORS, type StoredError, type TaskPhases } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Context, Perform } from '../../platform/context.ts';
import { encodeCursor } from '../../platform/lists/page.ts';
import { createInputReader, type InputValues } from '../stages/input-values.ts';
import { fetchedByOf, type Fetching } from '../tasks/run-config.ts';
import { inputAddress } from '../tasks/check-input.ts';
import { findRun, refuseExpired, type FoundRun } from '../submission/find-run.ts';
import { readPlace } from './batch-results.ts';

interface FailureRow {
  seq: number;
  input: string;
  carried: string | null;
  error: StoredError;
  attempts: number;
  phases: TaskPhases | null;
  /** The last way that was tried; null: the first. */
  way: number | null;
}

interface CauseRow {
  code: StoredError['code'];
  cause: string;
  run: string;
  count: number;
  input: string;
  carried: string | null;
  error: StoredError;
}

/** An input as an answer shows it. */
export function describeInput(
  run: Pick<FoundRun, 'target'>,
  input: string,
  values: InputValues,
): { url: string; input?: Record<string, unknown> } {
  if (run.target.type !== 'api') return { url: input, ...(values === undefined ? {} : { input: values }) };
  const parameters = JSON.parse(input) as Record<string, unknown>;
  return { url: inputAddress(run.target, input), input: parameters };
}

/** A failed input as an answer shows it. */
export function describeFailure(
  run: Pick<FoundRun, 'target'> & { fetching: Fetching },
  { input, error: { code, detail, hint }, attempts, phases, way }: Omit<FailureRow, 'seq' | 'carried'>,
  values: InputValues,
) {
  return {
    ...describeInput(run, input, values),
    error: ERRORS[code].text,
    detail,
    hint,
    attempts,
    fetched_by: fetchedByOf(run.fetching, way),
    price: 0,
    ...(phases === null ? {} : { phases }),
  };
}

/** The name of a cause in SQL: a code stands for all failures of its error. */
export function toCause(text: string | undefined): string | null {
  if (text === undefined) return null;
  const known = Object.entries(ERRORS).find(([, error]) => error.text === text);
  return known?.[0] ?? text;
}

/** Further causes are counted together, by code. */
const MAX_CAUSES = 50;
/** Only the most frequent details are searched for their reason; further ones are counted together. */
const MAX_DETAILS = 20_000;

/** Counts failures by code and reason. Equal details are counted first, so a million failures cost one pass. */
export async function readCauses(
  { services: { db } }: { services: Pick<Context['services'], 'db'> },
  runs: readonly Pick<FoundRun, 'no' | 'target'>[],
) {
  const engine = db.sql(ENGINE);
  const rows = await db.sql<CauseRow[]>`
    WITH details AS (
      SELECT error ->> 'code' AS code, left(error ->> 'detail', 200) AS detail, count(*) AS count,
        min(ARRAY[run_no, seq]) AS first, row_number() OVER (ORDER BY count(*) DESC, min(ARRAY[run_no, seq])) AS rank
      FROM gleaner.results WHERE run_no = ANY (${runs.map(({ no }) => no)}::bigint[]) AND NOT ok GROUP BY 1, 2
    ), named AS (
      SELECT code, count, first, CASE WHEN rank <= ${MAX_DETAILS}
        THEN ${engine}.cause_name(code, ${engine}.failure_reason(detail)) ELSE code END AS cause
      FROM details
    ), reasons AS (
      SELECT code, cause, sum(count) AS count, min(first) AS first, row_number() OVER (ORDER BY sum(count) DESC, min(first)) AS place
      FROM named GROUP BY code, cause
    ), causes AS (
      SELECT code, CASE WHEN place <= ${MAX_CAUSES} THEN cause ELSE code END AS cause, sum(count)::int AS count, min(first) AS first
      FROM reasons GROUP BY 1, 2
    )
    SELECT g.code, g.cause, g.count, g.first[1]::text AS run, t.input, t.carried, o.error FROM causes g
    CROSS JOIN LATERAL (SELECT n.error FROM gleaner.results n WHERE n.run_no = g.first[1] AND n.seq = g.first[2] LIMIT 1) o
    CROSS JOIN LATERAL (SELECT n.input, n.carried FROM gleaner.tasks n WHERE n.run_no = g.first[1] AND n.seq = g.first[2] LIMIT 1) t
    ORDER BY g.count DESC, g.first`;
  const targets = new Map(runs.map(({ no, target }) => [no, target]));
  const readValues = createInputReader({ db });
  const causes = [];
  for (const { code, cause, count, run, input, carried, error } of rows) {
    const target = targets.get(run);
    if (target === undefined) continue;
    const { detail, hint } = error;
    const example = { ...describeInput({ target }, input, await readValues(run, carried)), detail, hint };
    causes.push({ cause, error: ERRORS[code].text, count, example });
  }
  return causes;
}

/** Failed inputs in input order. The first page also reports the causes of all failures. */
export const getBatchFailures: Perform<'getBatchFailures'> = async (ctx, { params, query }) => {
  const run = await findRun(ctx, 'batch', params.id);
  refuseExpired(run);
  const rows = await ctx.services.db.sql<FailureRow[]>`
    SELECT o.seq, t.input, t.carried, o.error, o.attempts, o.phases, o.way FROM gleaner.results o CROSS JOIN LATERAL (
      SELECT n.input, n.carried FROM gleaner.tasks n WHERE n.run_no = o.run_no AND n.seq = o.seq LIMIT 1
    ) t
    WHERE o.run_no = ${run.no} AND o.seq > ${readPlace('failures', query.cursor)} AND NOT o.ok ORDER BY o.seq LIMIT ${query.limit + 1}`;
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const readValues = createInputReader(ctx.services);
  const failures = [];
  for (const row of page) failures.push(describeFailure(run, row, await readValues(run.no, row.carried)));
  return {
    ...(query.cursor === undefined ? { causes: await readCauses(ctx, [run]) } : {}),
    failures,
    ...(rows.length > query.limit && last ? { cursor: encodeCursor('failures', [last.seq]) } : {}),
  };
};
