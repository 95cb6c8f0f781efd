import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'shared', 'wrappers');

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

/** The sites beside the project. Throws with a hint where they are missing. */
export function readKnownSites(): KnownSite[] {
  if (!existsSync(FOLDER)) throw new Error(`${FOLDER} is missing: this bench reads the sites there`);
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const truth = JSON.parse(readFileSync(join(FOLDER, name, 'truth.json'), 'utf8')) as Truth;
      const pages = Object.entries(truth).map(([page, values]) => ({
        name: page,
        html: readFileSync(join(FOLDER, name, `${page}.htm`), 'utf8'),
        truth: values,
      }));
      return { name, pages };
    });
}
