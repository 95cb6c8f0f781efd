import postgres from 'postgres';

/** A node of a plan that was run, as `auto_explain` writes it. */
interface PlanNode {
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function rowsOf(node: PlanNode): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0);
  const inside = (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), 0);
  return each * (node['Actual Loops'] ?? 0) + inside;
}

/**
 * Runs a statement and counts the rows that all steps of its plan handle, those of statements in functions too: what
 * compares each row with each has the square of them, which counts of rows that are read do not show.
 * @param url of a superuser's connection
 */
export async function countRowsHandled(url: string, statement: string): Promise<number> {
  let rows = 0;
  const sql = postgres(url, {
    max: 1,
    onnotice: ({ message }) => {
      const plan = /^duration: .*?plan:\n(\{[^]*\})\s*$/.exec(message ?? '')?.[1];
      if (plan !== undefined) rows += rowsOf((JSON.parse(plan) as { Plan: PlanNode }).Plan);
    },
  });
  try {
    await sql.unsafe(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
      SET auto_explain.log_timing = off; SET auto_explain.log_nested_statements = on; SET auto_explain.log_format = json;
      SET auto_explain.log_level = notice`);
    await sql.unsafe(statement);
    return rows;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
