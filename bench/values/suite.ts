import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the public sets in `shared/suites`. The cast asserts its shape. */
export function readSuite<Case>(name: string): Case[] {
  const path = join(import.meta.dirname, '../../../shared/suites', name);
  return JSON.parse(readFileSync(path, 'utf8')) as Case[];
}
