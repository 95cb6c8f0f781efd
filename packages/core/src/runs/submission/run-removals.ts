import type { HeldRemoval, Publication } from '@gleaner/contracts';
import { sql, type SQL } from 'drizzle-orm';

/** What became of the removals of a run, and those that wait. */
export interface Removals {
  publication: Publication;
  held_removals: HeldRemoval[];
}

/** Selects them as JSON. @param no the number of the run: an expression */
export function selectRemovals(no: SQL): SQL {
  return sql`(SELECT json_build_object('publication', coalesce(max(nullif(j.state, 'due')), 'none'), 'held_removals', coalesce(
      (SELECT json_agg(json_build_object('database', h -> 'database', 'table', h -> 'table', 'rows', h -> 'rows', 'of', h -> 'of'))
        FROM gleaner.run_judgements w CROSS JOIN jsonb_array_elements(w.held) h WHERE w.run_no = ${no} AND w.state = 'held'), '[]'))
    FROM gleaner.run_judgements j WHERE j.run_no = ${no})`;
}
