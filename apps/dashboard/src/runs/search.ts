import { isOneOf, RUN_KINDS, RUN_STATES, type RunKind, type RunState } from '@gleaner/contracts/values';
import { readListSearch } from '../parts/list-search.ts';

/** The filters of the list of runs, as its address contains them. */
export interface RunsSearch {
  kind?: RunKind | undefined;
  status?: RunState | undefined;
  parser?: string | undefined;
  search?: string | undefined;
}

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return {
    kind: isOneOf(RUN_KINDS, search.kind) ? search.kind : undefined,
    status: isOneOf(RUN_STATES, search.status) ? search.status : undefined,
    parser: typeof search.parser === 'string' ? search.parser : undefined,
    ...readListSearch(search),
  };
}

export const BATCH_TABS = ['results', 'failures', 'held', 'pages'] as const;
export type BatchTab = (typeof BATCH_TABS)[number];

/** The open tab of a batch and, among its failures, the opened page. */
export interface BatchSearch {
  tab?: BatchTab | undefined;
  failure?: string | undefined;
}

export function readBatchSearch({ tab, failure }: Record<string, unknown>): BatchSearch {
  return {
    tab: BATCH_TABS.find((known) => known === tab),
    ...(tab === 'failures' && typeof failure === 'string' ? { failure } : {}),
  };
}
