import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTestData } from '../test/test-data.mjs';

export interface RealPage {
  name: string;
  body: Uint8Array;
}

/** The real pages; their oracle is read by `readOracle`. Throws with a hint where they are missing. */
export function readPages(): RealPage[] {
  const folder = requireTestData('pages');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, body: readFileSync(join(folder, name)) }));
}

export interface Oracle {
  /** Name → [selector, `text`, `count` or an attribute]. */
  selectors: Record<string, [selector: string, what: string]>;
  pages: Record<string, Record<string, number | { n: number; sha1: string }>>;
}

export function readOracle(): Oracle {
  const oracle: unknown = JSON.parse(readFileSync(join(requireTestData('pages'), 'oracle.json'), 'utf8'));
  return oracle as Oracle;
}
