import type { Perform } from '../platform/context.ts';

/** One statement over all kinds: each table is looked up by its primary key. */
export const getNames: Perform<'getNames'> = async (ctx, { query }) => {
  const ids = query.ids.split(',');
  const rows = await ctx.services.db.sql<{ id: string; name: string | null; created_at: string }[]>`
    SELECT id, name, created_at FROM (
      SELECT id, name, created_at, account_id FROM gleaner.parsers
      UNION ALL SELECT id, name, created_at, account_id FROM gleaner.crons
      UNION ALL SELECT id, name, created_at, account_id FROM gleaner.workflows
      UNION ALL SELECT id, name, created_at, account_id FROM gleaner.databases
      UNION ALL SELECT id, name, created_at, account_id FROM gleaner.api_keys
      UNION ALL SELECT r.id, CASE r.kind WHEN 'job' THEN t.input ELSE r.name END, r.created_at, r.account_id
        FROM gleaner.runs r LEFT JOIN gleaner.tasks t ON r.kind = 'job' AND t.run_no = r.no AND t.seq = 0
        WHERE r.kind <> 'stage'
    ) named WHERE id = ANY(${ids}::text[]) AND account_id = ${ctx.accountId}`;
  return { names: rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() })) };
};
