import { readText, searchReader } from '../parts/read-search.ts';

/** The initial values of a form, from its address: `batch` gives its pages, `database` gets the rows. */
export const readTargetSearch = searchReader({
  parser: readText,
  api: readText,
  url: readText,
  batch: readText,
  database: readText,
});
export type TargetSearch = ReturnType<typeof readTargetSearch>;

/** The target that an address names, as `keyOfTarget` makes it. */
export function keyOfSearch({ parser, api }: TargetSearch): string | null {
  if (parser !== undefined) return `parser:${parser}`;
  return api === undefined ? null : `api:${api}`;
}
