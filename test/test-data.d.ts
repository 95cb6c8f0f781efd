/** Public data that the project doesn't hold, by its place in the folder of test data, with a word of what it is. */
declare const SETS: {
    readonly content: 'pages with their main content';
    readonly pages: 'real pages, and what Chromium selects in them';
    readonly samples: 'recorded pages of the prebuilt endpoints';
    readonly wrappers: 'sites with known values';
    readonly 'suites/encodings': 'files that don’t name their encoding';
    readonly 'suites/html5lib': 'html5lib’s tests of tree construction';
    readonly 'suites/prices.json': 'price-parser’s prices';
    readonly 'suites/rfc9535-cts.json': 'the compliance tests of JSONPath';
    readonly 'suites/robots.json': 'the expectations of Google’s parser of robots.txt';
    readonly 'suites/sitemaps': 'crawler-commons’ sitemaps';
    readonly 'suites/written.json': 'numbers and dates as people write them';
};
export interface TestData {
    path: string;
    isMissing: boolean;
    /** For a test that is skipped: what it lacks, and which page says where that comes from. */
    meta: {
        missing: string;
    };
}
/** Finds a set in the folder that GLEANER_TEST_DATA names; a relative one is inside the project. */
export declare function findTestData(set: keyof typeof SETS): TestData;
/** The path of a set. Throws with what is missing. */
export declare function requireTestData(set: keyof typeof SETS): string;
export {};
