import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

interface CursorPage {
  /** Where the next page begins; absent on the last. */
  cursor?: string | undefined;
}

/** A list that is read page by page, whose cursor is beside its rows. */
export function cursorQuery<Read extends CursorPage>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Read>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
}
