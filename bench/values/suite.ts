import { readFileSync } from 'node:fs';
import { requireTestData } from '../../test/test-data.mjs';

/** A file of the public sets. Throws with a hint where it is missing. The cast asserts its shape. */
export function readSuite<Case>(name: 'prices.json' | 'robots.json' | 'written.json'): Case[] {
  return JSON.parse(readFileSync(requireTestData(`suites/${name}`), 'utf8')) as Case[];
}
