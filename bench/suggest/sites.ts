import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTestData } from '../../test/test-data.mjs';

/** One page of a site with what is known of it: by field, the values that are right; [] where it has none. */
export interface KnownPage {
  readonly name: string;
  readonly html: string;
  readonly truth: Readonly<Record<string, readonly string[]>>;
}

export interface KnownSite {
  readonly name: string;
  readonly pages: readonly KnownPage[];
}

type Truth = Record<string, Record<string, string[]>>;

/** The sites with known values. Throws with a hint where they are missing. */
export function readKnownSites(): KnownSite[] {
  const folder = requireTestData('wrappers');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const truth = JSON.parse(readFileSync(join(folder, name, 'truth.json'), 'utf8')) as Truth;
      const pages = Object.entries(truth).map(([page, values]) => ({
        name: page,
        html: readFileSync(join(folder, name, `${page}.htm`), 'utf8'),
        truth: values,
      }));
      return { name, pages };
    });
}
