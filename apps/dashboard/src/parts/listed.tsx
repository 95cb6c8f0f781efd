import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Failure, Loading } from './states.tsx';

export interface ListedProps<Page, Item, Row> extends Omit<
  DataTableProps<Row>,
  'rows' | 'hasMore' | 'isReading' | 'onMore'
> {
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  rowsOf: (page: Page) => readonly Item[];
  /** Makes the lines of all items that are read so far. */
  arrange: (items: readonly Item[]) => readonly Row[];
  /** Shown when the list has no rows. */
  empty: ReactNode;
}

/** A table over a list operation whose lines are made of several items. */
export function ArrangedList<Page, Item, Row>(props: ListedProps<Page, Item, Row>) {
  const { query, rowsOf, arrange, empty, ...table } = props;
  const rows = arrange(query.data?.pages.flatMap(rowsOf) ?? []);
  if (query.data === undefined && query.error === null) return <Loading what={table.label} lines={10} />;
  if (query.error !== null && rows.length === 0) {
    return (
      <div className="state">
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  if (rows.length === 0) return <>{empty}</>;
  return (
    <DataTable
      {...table}
      rows={rows}
      hasMore={query.hasNextPage}
      isReading={query.isFetchingNextPage}
      onMore={() => void query.fetchNextPage()}
    />
  );
}

/** A table over a list operation: reads further pages as it scrolls, and shows loading, failed and empty. */
export function Listed<Page, Row>(props: Omit<ListedProps<Page, Row, Row>, 'arrange'>) {
  return <ArrangedList {...props} arrange={(rows) => rows} />;
}
