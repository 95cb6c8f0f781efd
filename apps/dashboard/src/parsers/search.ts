import { readText, searchReader } from '../parts/read-search.ts';

function readVersion(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The versions that the page compares, as its address contains them. */
export const readVersionsSearch = searchReader({ before: readVersion, after: readVersion });

/** The sample whose values are shown. */
export const readSamplesSearch = searchReader({ sample: readText });
