import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'shared', 'pages');

export interface RealPage {
  name: string;
  body: Uint8Array;
}

/** The real pages beside the project; their oracle is read by `readOracle`. Throws with a hint where they are missing. */
export function readPages(): RealPage[] {
  if (!existsSync(FOLDER)) throw new Error(`${FOLDER} is missing: this bench reads the real pages there`);
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, body: readFileSync(join(FOLDER, name)) }));
}

export interface Oracle {
  /** Name → [selector, `text`, `count` or an attribute]. */
  selectors: Record<string, [selector: string, what: string]>;
  pages: Record<string, Record<string, number | { n: number; sha1: string }>>;
}

export function readOracle(): Oracle {
  const oracle: unknown = JSON.parse(readFileSync(join(FOLDER, 'oracle.json'), 'utf8'));
  return oracle as Oracle;
}
