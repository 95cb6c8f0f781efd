import type { FileFact } from '@gleaner/contracts';

/** A response that a page loaded by itself: what a source `xhr` reads. */
export interface Capture {
  /** Its final address, absolute. */
  url: string;
  /** Its body, decoded. One that is not JSON has no values. */
  json: string;
}

/** A fetched or uploaded page. */
export interface Page {
  /** Bytes are decoded as a browser would: BOM, then `contentType`'s charset, then the meta prescan. */
  body: Uint8Array | string;
  contentType?: string | undefined;
  /** What was asked for. */
  url?: string | undefined;
  /** Where redirects led; the base of relative URLs unless the page has a `<base href>`. */
  finalUrl?: string | undefined;
  status?: number | undefined;
  /** ISO 8601 */
  fetchedAt?: string | undefined;
  /**
   * The responses that the page loaded in a browser, in the order they came; undefined when it was in none. Which to
   * keep for a schema, `xhrPatterns` says.
   */
  captures?: readonly Capture[] | undefined;
  /** Addresses of the files that were made of the page in a browser. */
  files?: Readonly<Partial<Record<FileFact, string>>> | undefined;
}
