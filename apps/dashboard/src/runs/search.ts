import { RUN_KINDS, RUN_STATES } from '@gleaner/contracts/values';
import { readOneOf, readSearched, readText, searchReader } from '../parts/read-search.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function readDay(value: unknown): string | undefined {
  return typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

/** The filters of the list of runs, as its address contains them. */
export const readRunsSearch = searchReader({
  kind: readOneOf(RUN_KINDS),
  status: readOneOf([...RUN_STATES, 'with_failures', 'held'] as const),
  parser: readText,
  cron: readText,
  table: readText,
  from: readDay,
  to: readDay,
  search: readSearched,
});
export type RunsSearch = ReturnType<typeof readRunsSearch>;

/** When a day of the reader's zone begins; `after` days later. */
function startOf(day: string, after: number): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + after);
  return date.toISOString();
}

/** What the service is asked for. Those that succeeded have neither failures nor rows that are held back. */
export function runsQueryOf({ kind: _kind, status, from, to, ...rest }: RunsSearch) {
  const states = {
    with_failures: { has_failures: true },
    held: { held: true },
    succeeded: { status: 'succeeded', has_failures: false, held: false },
  } as const;
  return {
    ...rest,
    ...(status === 'with_failures' || status === 'held' || status === 'succeeded'
      ? states[status]
      : { status }),
    from: from && startOf(from, 0),
    to: to && startOf(to, 1),
  };
}

const BATCH_TABS = ['results', 'failures', 'held', 'pages'] as const;
export type BatchTab = (typeof BATCH_TABS)[number];

/** The open tab of a batch, and in it the opened failure or row. */
export const readBatchSearch = searchReader({ tab: readOneOf(BATCH_TABS), failure: readText, row: readText });
