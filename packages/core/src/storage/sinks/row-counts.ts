import { toStorableJson } from '@gleaner/contracts';
import { ENGINE, type Sql } from '@gleaner/db';

/** What writes did to rows, as engine.row_counts has it. */
export type RowCounts = Partial<Record<(typeof COUNTS)[number], number>>;

/** `kept`: a value of an earlier fetch stayed. The others are the changes that a table with history noted. */
const COUNTS = ['kept', 'rows_new', 'rows_changed', 'rows_returned', 'rows_removed'] as const;

/** What several writes did; a count that none has is absent. */
export function addCounts(counts: readonly Readonly<Record<string, unknown>>[]): RowCounts {
  return Object.fromEntries(
    COUNTS.flatMap((name) => {
      const known = counts.flatMap((one) => (one[name] === undefined ? [] : [Number(one[name])]));
      return known.length === 0 ? [] : [[name, known.reduce((sum, count) => sum + count)]];
    }),
  );
}

/** Adds to a run what was done to rows of an external table. */
export async function countRows(sql: Sql, runNo: string, counts: RowCounts): Promise<void> {
  await sql`SELECT ${sql(ENGINE)}.count_rows(${runNo}::text::bigint,
    jsonb_populate_record(NULL::${sql(ENGINE)}.row_counts, ${toStorableJson(counts)}::text::jsonb))`;
}
