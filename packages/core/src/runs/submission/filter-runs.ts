import type { RunState } from '@gleaner/contracts';
import { sql, type SQL } from 'drizzle-orm';
import { matchesSearch } from '../../platform/lists/page.ts';

interface RunsQuery {
  status?: RunState | undefined;
  search?: string | undefined;
  parser?: string | undefined;
  held?: boolean | undefined;
  has_failures?: boolean | undefined;
  table?: string | undefined;
  cron?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The states of rows that wait for a decision. */
const WAITING_ROWS = sql`('suspect', 'held', 'releasing')`;

/** The rows that are held back of the runs with these numbers. */
export function countHeld(numbers: SQL): SQL {
  return sql`(SELECT count(*)::int FROM gleaner.quarantined_rows q WHERE q.run_no IN (${numbers}) AND q.state IN ${WAITING_ROWS})`;
}

/** Whether a run or one of its stages is among those that `found` selects. The filters find few, so they are found first. */
function isAmong(found: SQL, is = true): SQL {
  return sql`runs.no ${is ? sql`` : sql`NOT`} IN (
    SELECT n.no FROM (${found}) f CROSS JOIN LATERAL (VALUES (f.no), (f.root_no)) n (no) WHERE n.no IS NOT NULL)`;
}

/** Failures of finished and of running chunks. The sources of a crawl are no inputs. */
function withFailures(accountId: string): SQL {
  return sql`SELECT r.no, r.root_no FROM gleaner.runs r
    WHERE r.account_id = ${accountId} AND (r.root_no IS NULL OR NOT EXISTS (
      SELECT 1 FROM gleaner.stages s WHERE s.run_no = r.no AND s.role IN ('source', 'sources')))
      AND r.failed > 0
    UNION ALL
    SELECT r.no, r.root_no FROM gleaner.chunks c JOIN gleaner.runs r ON r.no = c.run_no
    WHERE c.account_id = ${accountId} AND c.state = 'running' AND c.failed > 0`;
}

function withHeld(accountId: string): SQL {
  return sql`SELECT DISTINCT r.no, r.root_no FROM gleaner.quarantined_rows q JOIN gleaner.runs r ON r.no = q.run_no
    WHERE q.account_id = ${accountId} AND q.state IN ${WAITING_ROWS}`;
}

/** The runs of an account that a list asks for, as a condition on `runs`. @param name what `search` looks at */
export function filterRuns(
  accountId: string,
  { status, search, parser, held, has_failures: hasFailures, table, cron, from, to }: RunsQuery,
  before: string | undefined,
  name = sql`runs.name`,
): SQL {
  const conditions = [
    sql`runs.account_id = ${accountId}`,
    before === undefined ? undefined : sql`runs.id < ${before}`,
    status === undefined ? undefined : sql`runs.state = ${status}`,
    parser === undefined ? undefined : sql`runs.target ->> 'parserId' = ${parser}`,
    held === undefined ? undefined : isAmong(withHeld(accountId), held),
    hasFailures === undefined ? undefined : isAmong(withFailures(accountId), hasFailures),
    table === undefined
      ? undefined
      : isAmong(sql`SELECT r.no, r.root_no FROM gleaner.runs r
          WHERE r.account_id = ${accountId} AND r.sink ->> 'table' = ${table}`),
    cron === undefined
      ? undefined
      : sql`runs.id IN (SELECT f.run_id FROM gleaner.cron_firings f
          WHERE f.cron_id = ${cron} AND f.account_id = ${accountId} AND f.run_id IS NOT NULL)`,
    from === undefined ? undefined : sql`runs.created_at >= ${from}::timestamptz`,
    to === undefined ? undefined : sql`runs.created_at < ${to}::timestamptz`,
    matchesSearch(search, { id: sql`runs.id`, name }),
  ];
  return sql.join(
    conditions.filter((one) => one !== undefined),
    sql` AND `,
  );
}
