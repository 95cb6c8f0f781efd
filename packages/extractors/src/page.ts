import type { FileFact } from '@gleaner/contracts';
import type { PdfFacts } from './pdf/pdf-facts.ts';

/** A response that the page itself loaded. A source `xhr` reads it. */
export interface Capture {
  /** Final address of the response, absolute. */
  url: string;
  /** Its decoded body. A body that is not JSON has no values. */
  json: string;
}

/** A fetched or uploaded page. */
export interface Page {
  /** Bytes are decoded as a browser would: BOM, then `contentType`'s charset, then a meta, then what the bytes make likely. */
  body: Uint8Array | string;
  contentType?: string | undefined;
  /** The requested URL. */
  url?: string | undefined;
  /** The URL after redirects; the base of relative URLs unless the page has a `<base href>`. */
  finalUrl?: string | undefined;
  status?: number | undefined;
  /** ISO 8601 */
  fetchedAt?: string | undefined;
  /**
   * The responses that the page loaded in a browser, in order of arrival; undefined for a page that no browser loaded.
   * `xhrPatterns` lists the addresses that a schema needs.
   */
  captures?: readonly Capture[] | undefined;
  /** Whether open declarative shadow roots stand inside their hosts. Default true. */
  composed?: boolean | undefined;
  /** Addresses of the files that were made of the page in a browser. */
  files?: Readonly<Partial<Record<FileFact, string>>> | undefined;
  /** What was read of a body that is a PDF. The pool reads it; without it, a PDF is a page with nothing on it. */
  pdf?: PdfFacts | undefined;
}
