export const RUN_STATES = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];
export const RUN_KINDS = ['batch', 'job', 'workflow'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** The filters of the list of runs, as its address contains them. */
export interface RunsSearch {
  kind?: RunKind | undefined;
  status?: RunState | undefined;
  parser?: string | undefined;
}

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return {
    kind: RUN_KINDS.find((kind) => kind === search.kind),
    status: RUN_STATES.find((state) => state === search.status),
    parser: typeof search.parser === 'string' ? search.parser : undefined,
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
