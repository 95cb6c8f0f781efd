const NAMES = ['parser', 'api', 'url', 'batch', 'database'] as const;

/** The initial values of a form, from its address: `batch` gives its pages, `database` gets the rows. */
export type TargetSearch = { [Name in (typeof NAMES)[number]]?: string };

export function readTargetSearch(search: Record<string, unknown>): TargetSearch {
  return Object.fromEntries(
    NAMES.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
  );
}

/** The target that an address names, as `keyOfTarget` makes it. */
export function keyOfSearch({ parser, api }: TargetSearch): string | null {
  if (parser !== undefined) return `parser:${parser}`;
  return api === undefined ? null : `api:${api}`;
}
