import { ERRORS, type StoredError, type TaskPhases } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import { encodeCursor } from '../../platform/lists/page.ts';
import { inputAddress } from '../tasks/input-address.ts';
import { findRun, refuseExpired, type FoundRun } from '../submission/find-run.ts';
import { readPlace } from './batch-results.ts';

interface FailureRow {
  seq: number;
  input: string;
  error: StoredError;
  attempts: number;
  phases: TaskPhases | null;
}

interface CauseRow {
  code: StoredError['code'];
  count: number;
  input: string;
  error: StoredError;
}

/** An input as an answer shows it. */
export function describeInput(
  run: Pick<FoundRun, 'target'>,
  input: string,
): { url: string; input?: Record<string, unknown> } {
  if (run.target.type !== 'api') return { url: input };
  const parameters = JSON.parse(input) as Record<string, unknown>;
  return { url: inputAddress(run.target, input), input: parameters };
}

/** A failed input as an answer shows it. */
export function describeFailure(
  run: Pick<FoundRun, 'target'>,
  { input, error: { code, detail, hint }, attempts, phases }: Omit<FailureRow, 'seq'>,
) {
  return {
    ...describeInput(run, input),
    error: ERRORS[code].text,
    detail,
    hint,
    attempts,
    ...(phases === null ? {} : { phases }),
  };
}

/** Further causes are counted together, by code. */
const MAX_CAUSES = 50;
/** Only the most frequent details are searched for their reason; further ones are counted together. */
const MAX_DETAILS = 20_000;

/**
 * Counts failures by code and reason. A reason is the detail without URLs, hosts and numbers (except a status), which
 * differ between inputs. Equal details are counted first, so a million failures cost one pass.
 */
async function readCauses(ctx: Context, run: FoundRun) {
  const rows = await ctx.services.db.sql<CauseRow[]>`
    WITH details AS (
      SELECT error ->> 'code' AS code, left(error ->> 'detail', 200) AS detail, count(*) AS count, min(seq) AS first,
        row_number() OVER (ORDER BY count(*) DESC, min(seq)) AS rank
      FROM gleaner.results WHERE run_no = ${run.no} AND NOT ok GROUP BY 1, 2
    ), reasons AS (
      SELECT code, sum(count) AS count, min(first) AS first, row_number() OVER (ORDER BY sum(count) DESC, min(first)) AS place
      FROM details
      GROUP BY code, CASE WHEN rank <= ${MAX_DETAILS} THEN regexp_replace(regexp_replace(regexp_replace(detail,
        '[a-z][a-z0-9+.-]*://[^[:space:]"]+', '…', 'gi'),
        '([a-z0-9_-]+[.])+[a-z][a-z0-9-]+', '…', 'gi'),
        '(?<!status |[0-9])[0-9]+', '#', 'g') END
    ), causes AS (
      SELECT code, sum(count)::int AS count, min(first) AS first FROM reasons
      GROUP BY code, CASE WHEN place <= ${MAX_CAUSES} THEN place END
    )
    SELECT g.code, g.count, t.input, o.error FROM causes g
    CROSS JOIN LATERAL (SELECT n.error FROM gleaner.results n WHERE n.run_no = ${run.no} AND n.seq = g.first LIMIT 1) o
    CROSS JOIN LATERAL (SELECT n.input FROM gleaner.tasks n WHERE n.run_no = ${run.no} AND n.seq = g.first LIMIT 1) t
    ORDER BY g.count DESC, g.first`;
  return rows.map(({ code, count, input, error }) => ({
    error: ERRORS[code].text,
    count,
    example: { ...describeInput(run, input), detail: error.detail, hint: error.hint },
  }));
}

/** Failed inputs in input order. The first page also reports the causes of all failures. */
export const getBatchFailures: Perform<'getBatchFailures'> = async (ctx, { params, query }) => {
  const run = await findRun(ctx, 'batch', params.id);
  refuseExpired(run);
  const rows = await ctx.services.db.sql<FailureRow[]>`
    SELECT o.seq, t.input, o.error, o.attempts, o.phases FROM gleaner.results o CROSS JOIN LATERAL (
      SELECT n.input FROM gleaner.tasks n WHERE n.run_no = o.run_no AND n.seq = o.seq LIMIT 1
    ) t
    WHERE o.run_no = ${run.no} AND o.seq > ${readPlace(query.cursor)} AND NOT o.ok ORDER BY o.seq LIMIT ${query.limit + 1}`;
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    ...(query.cursor === undefined ? { causes: await readCauses(ctx, run) } : {}),
    failures: page.map((row) => describeFailure(run, row)),
    ...(rows.length > query.limit && last ? { cursor: encodeCursor([last.seq]) } : {}),
  };
};
