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
}
