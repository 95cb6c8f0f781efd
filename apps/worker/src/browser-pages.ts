/** Memory that a page in a browser takes, with its share of the browser. */
const PAGE_BYTES = 250_000_000;
/** Share of the memory limit that browsers may use. */
const MEMORY_SHARE = 0.5;
/** Further pages on a core only make each other slower. */
const PAGES_PER_CORE = 4;
const LEAST_PAGES = 3;
const MOST_PAGES = 24;

/** Interactive requests have a capacity of their own: half as many pages as batches. */
export function interactivePages(batchPages: number): number {
  return Math.max(1, Math.ceil(batchPages / 2));
}

/**
 * Pages that a worker has open at once for batches, when no setting says.
 * @param limitBytes the memory limit of this process
 */
export function defaultBrowserPages(limitBytes: number, cores: number): number {
  // Two thirds of all pages are those of batches.
  const byMemory = Math.floor((limitBytes * MEMORY_SHARE) / PAGE_BYTES / 1.5);
  return Math.max(LEAST_PAGES, Math.min(byMemory, cores * PAGES_PER_CORE, MOST_PAGES));
}
