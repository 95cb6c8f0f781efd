/** The types of test-data.mjs, which packages import though it is outside of them. */

/** A set of public data that the project doesn't hold: its place in the folder of test data. */
export type TestSet =
  | 'content'
  | 'pages'
  | 'samples'
  | 'wrappers'
  | `suites/${'encodings' | 'html5lib' | 'prices.json' | 'rfc9535-cts.json' | 'robots.json' | 'sitemaps' | 'written.json'}`;

export interface TestData {
  path: string;
  isMissing: boolean;
  /** For a test that is skipped: what it lacks, and which page says where that comes from. */
  meta: { missing: string };
}

/** Finds a set in the folder that GLEANER_TEST_DATA names; a relative one is inside the project. */
export function findTestData(set: TestSet): TestData;

/** The path of a set. Throws with what is missing. */
export function requireTestData(set: TestSet): string;
