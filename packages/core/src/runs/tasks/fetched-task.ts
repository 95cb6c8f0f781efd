/** What a task of a crawl found, until its page is retired: an element of `p_fetched` of engine.add_fetched. */
export interface FetchedTask {
  seq: number;
  /** The page's address after redirects and a canonical that is believed; absent: the task's own. */
  identity?: string | undefined;
  /** The route of a page with another address; -1: none takes it. */
  route?: number | undefined;
  status?: number | undefined;
  /** Why it is no page of the crawl. */
  verdict?: 'robots' | 'out_of_scope' | undefined;
  noindex?: boolean | undefined;
  /** ISO 8601 */
  modified?: string | undefined;
  /** A canonical that is only noted. */
  canonical?: string | undefined;
  /** Lines, as `readLinks` makes them. */
  links?: string | undefined;
}

/** `FetchedTask` before its task has a place in a chunk. */
export type Found = Omit<FetchedTask, 'seq'>;
