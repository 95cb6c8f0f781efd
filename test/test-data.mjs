import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const VARIABLE = 'GLEANER_TEST_DATA';

/** Public data that the project doesn't hold, by its place in the folder of test data, with a word of what it is. */
const SETS = {
  content: 'pages with their main content',
  pages: 'real pages, and what Chromium selects in them',
  samples: 'recorded pages of the prebuilt endpoints',
  wrappers: 'sites with known values',
  'suites/encodings': 'files that don’t name their encoding',
  'suites/html5lib': 'html5lib’s tests of tree construction',
  'suites/prices.json': 'price-parser’s prices',
  'suites/rfc9535-cts.json': 'the compliance tests of JSONPath',
  'suites/robots.json': 'the expectations of Google’s parser of robots.txt',
  'suites/sitemaps': 'crawler-commons’ sitemaps',
  'suites/written.json': 'numbers and dates as people write them',
};

export function findTestData(set) {
  const folder = process.env[VARIABLE];
  const path = folder ? resolve(ROOT, folder, set) : '';
  const where = folder ? `${path} is missing` : `${VARIABLE} is not set`;
  return {
    path,
    isMissing: !existsSync(path),
    meta: { missing: `${SETS[set]}: ${where} (docs/build/test-data.md)` },
  };
}

export function requireTestData(set) {
  const { path, isMissing, meta } = findTestData(set);
  if (isMissing) throw new Error(meta.missing);
  return path;
}
