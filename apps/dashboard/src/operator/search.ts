const TABS = ['accounts', 'queues'] as const;
export type OperatorTab = (typeof TABS)[number];

/** Undefined is the first tab, health. */
export function readOperatorTab({ tab }: Record<string, unknown>): OperatorTab | undefined {
  return TABS.find((known) => known === tab);
}
