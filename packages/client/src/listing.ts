import { createLazyCall, type Answer, type Call } from './call.ts';
import { pause } from './pause.ts';

/** A call of a list: a promise of its first page, and an async iterable of the items of all pages. Either sends it. */
export interface Listing<Page, Item> extends Call<Page>, AsyncIterable<Item> {
  pages(): AsyncGenerator<Page, void, undefined>;
}

export interface ListSource<Page> {
  first: () => Promise<Answer<Page>>;
  /** Name of the list in a page. */
  list: string;
  read(cursor: string): Promise<Answer<Page>>;
  signal?: AbortSignal | undefined;
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
  const { pagination, cursor } = page as {
    pagination?: { cursor: string | null };
    cursor?: string | null;
  };
  return pagination?.cursor ?? cursor ?? undefined;
}

export function createListing<Page, Item>(source: ListSource<Page>): Listing<Page, Item> {
  let first: Promise<Answer<Page>> | undefined;
  const call = createLazyCall(() => (first ??= source.first()));
  async function* pages(): AsyncGenerator<Page, void, undefined> {
    let { data: page } = await call.answer();
    let delay = FIRST_PAUSE_MS;
    for (;;) {
      const isEmpty = membersOf(page, source.list).length === 0;
      const cursor = cursorOf(page);
      if (!isEmpty || cursor === undefined) yield page;
      if (cursor === undefined) return;
      if (isEmpty) await pause(delay, source.signal);
      delay = isEmpty ? Math.min(MOST_PAUSE_MS, delay * 2) : FIRST_PAUSE_MS;
      ({ data: page } = await source.read(cursor));
    }
  }
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* membersOf<Item>(page, source.list);
  }
  return Object.assign(call, { pages, [Symbol.asyncIterator]: items });
}
