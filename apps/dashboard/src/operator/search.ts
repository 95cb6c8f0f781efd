const TABS = ['accounts', 'queues'] as const;

/** Undefined is the first tab, health. */
export interface OperatorSearch {
  tab?: (typeof TABS)[number] | undefined;
}

export function readOperatorSearch({ tab }: Record<string, unknown>): OperatorSearch {
  return { tab: TABS.find((known) => known === tab) };
}
