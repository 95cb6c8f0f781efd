/** The versions that the page compares, as its address contains them. */
export interface VersionsSearch {
  before?: number | undefined;
  after?: number | undefined;
}

function version(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

export function readVersionsSearch(search: Record<string, unknown>): VersionsSearch {
  return { before: version(search.before), after: version(search.after) };
}

/** The sample whose values are shown. */
export interface SamplesSearch {
  sample?: string | undefined;
}

export function readSamplesSearch({ sample }: Record<string, unknown>): SamplesSearch {
  return typeof sample === 'string' ? { sample } : {};
}
