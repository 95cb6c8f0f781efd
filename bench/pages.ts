import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTestData } from '../test/test-data.mjs';

export interface RealPage {
  name: string;
  body: Uint8Array;
}

/** The real pages. Throws with a hint where they are missing. */
export function readPages(): RealPage[] {
  const folder = requireTestData('pages');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, body: readFileSync(join(folder, name)) }));
}
