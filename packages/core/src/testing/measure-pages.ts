import type { Sql } from '@gleaner/db';

interface Plan {
  'QUERY PLAN': { Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number> }[];
}

/** Runs a statement. @returns the pages of Postgres that it read: other load on the machine doesn't change them */
export async function pagesOf(
  sql: Sql,
  statement: string,
  parameters: (string | number)[] = [],
): Promise<number> {
  const [row] = await sql.unsafe<Plan[]>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`, parameters);
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  if (!plan) throw new Error('no plan');
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** The least of three measurements: a statement after autovacuum's ANALYZE also reads catalogs. */
export async function least(measure: () => Promise<number>): Promise<number> {
  return Math.min(await measure(), await measure(), await measure());
}

/** Runs `work` beside an open transaction, as of pg_dump: Postgres removes no dead row meanwhile. */
export async function withOpenSnapshot(sql: Sql, work: () => Promise<void>): Promise<void> {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const dump = sql.begin('ISOLATION LEVEL REPEATABLE READ', async (tx) => {
    await tx`SELECT count(*) FROM gleaner.accounts`;
    begin();
    await isOver;
  });
  await hasBegun;
  try {
    await work();
  } finally {
    end();
    await dump;
  }
}
