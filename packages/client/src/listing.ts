import { createLazyCall, type Answer, type Call } from './call.ts';
import { pause } from './pause.ts';

/** A call of a list: a promise of its first page, and an async iterable of the items of all pages. Either sends it. */
export interface Listing<Page, Item> extends Call<Page>, AsyncIterable<Item> {
  pages(): AsyncGenerator<Page, void, undefined>;
}

/** Waits before requesting a page again that had no new items, for results of a running batch. */
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 5_000;

// The route names the list member of the page.
function membersOf<Item>(page: unknown, list: string): readonly Item[] {
  return (page as Record<string, readonly Item[]>)[list] ?? [];
}

/** Cursor of the next page: `pagination.cursor`, or `cursor`; null or absent after the last one. */
function cursorOf(page: unknown): string | undefined {
  type Paged = { pagination?: { cursor: string | null }; cursor?: string | null };
  const { pagination, cursor } = page as Paged;
  return pagination?.cursor ?? cursor ?? undefined;
}

/**
 * @param read the page after a cursor; the first without one
 * @param list its name in a page
 */
export function createListing<Page, Item>(
  read: (cursor?: string) => Promise<Answer<Page>>,
  list: string,
  signal: AbortSignal | undefined,
): Listing<Page, Item> {
  let first: Promise<Answer<Page>> | undefined;
  const call = createLazyCall(() => (first ??= read()));
  async function* pages(): AsyncGenerator<Page, void, undefined> {
    let { data: page } = await call.answer();
    let delay = FIRST_PAUSE_MS;
    for (;;) {
      const isEmpty = membersOf(page, list).length === 0;
      const cursor = cursorOf(page);
      if (!isEmpty || cursor === undefined) yield page;
      if (cursor === undefined) return;
      if (isEmpty) await pause(delay, signal);
      delay = isEmpty ? Math.min(MOST_PAUSE_MS, delay * 2) : FIRST_PAUSE_MS;
      ({ data: page } = await read(cursor));
    }
  }
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* membersOf<Item>(page, list);
  }
  return Object.assign(call, { pages, [Symbol.asyncIterator]: items });
}
