import { RUN_KINDS, RUN_STATES } from '@gleaner/contracts/values';
import { readOneOf, readSearched, readText, searchReader } from '../parts/read-search.ts';

/** The filters of the list of runs, as its address contains them. */
export const readRunsSearch = searchReader({
  kind: readOneOf(RUN_KINDS),
  status: readOneOf(RUN_STATES),
  parser: readText,
  search: readSearched,
});
export type RunsSearch = ReturnType<typeof readRunsSearch>;

const BATCH_TABS = ['results', 'failures', 'held', 'pages'] as const;
export type BatchTab = (typeof BATCH_TABS)[number];

/** The open tab of a batch and, among its failures, the opened page. */
export const readBatchSearch = searchReader({ tab: readOneOf(BATCH_TABS), failure: readText });
