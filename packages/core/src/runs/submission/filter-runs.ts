import type { RunState } from '@gleaner/contracts';
import { sql, type SQL } from 'drizzle-orm';
import { matchesSearch } from '../../platform/lists/page.ts';

interface RunsQuery {
  status?: RunState | undefined;
  search?: string | undefined;
  parser?: string | undefined;
}

/** The runs of an account that a list asks for, as a condition on `runs`. @param name what `search` looks at */
export function filterRuns(
  accountId: string,
  { status, search, parser }: RunsQuery,
  before: string | undefined,
  name = sql`runs.name`,
): SQL {
  const conditions = [
    sql`runs.account_id = ${accountId}`,
    before === undefined ? undefined : sql`runs.id < ${before}`,
    status === undefined ? undefined : sql`runs.state = ${status}`,
    parser === undefined ? undefined : sql`runs.target ->> 'parserId' = ${parser}`,
    matchesSearch(search, { id: sql`runs.id`, name }),
  ];
  return sql.join(
    conditions.filter((one) => one !== undefined),
    sql` AND `,
  );
}
