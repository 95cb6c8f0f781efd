import type { BatchRecord } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { fetchedByOf, type Fetching } from '../tasks/run-config.ts';

/** Successes that are counted by their ways: a page of the dashboard reads them again and again. */
const MOST_COUNTED = 50_000;

/** How the pages of a run came, and what they cost. */
export async function countWays(
  { services: { db } }: { services: Pick<Context['services'], 'db'> },
  { no, fetching }: { no: string; fetching: Fetching },
): Promise<BatchRecord['ways']> {
  const rows = await db.sql<{ way: number | null; pages: number; credits: number }[]>`
    SELECT way, count(*)::int AS pages, sum(credits)::float8 AS credits FROM (
      SELECT o.way, o.credits FROM gleaner.results o WHERE o.run_no = ${no} AND o.ok LIMIT ${MOST_COUNTED}
    ) counted GROUP BY way ORDER BY way NULLS FIRST`;
  return rows.map(({ way, ...counts }) => ({ fetched_by: fetchedByOf(fetching, way) ?? '', ...counts }));
}
