import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query';
import { Link, useNavigate, type LinkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ActionButton } from './buttons.tsx';
import { DataTable, type Column, type DataTableProps } from './data-table.tsx';
import { IconPlus } from './icons.ts';
import { isNothing, useListSearch } from './list-search.ts';
import { SearchField } from './search-field.tsx';
import { Page, Empty, Failure, Loading } from './page.tsx';

type PagedQuery<Read> = UseInfiniteQueryResult<InfiniteData<Read>>;

export interface ListedProps<Read, Item, Row> extends Omit<
  DataTableProps<Row>,
  'rows' | 'hasMore' | 'isReading' | 'onMore'
> {
  query: PagedQuery<Read>;
  rowsOf: (page: Read) => readonly Item[];
  /** Makes the lines of all items that are read so far. */
  arrange: (items: readonly Item[]) => readonly Row[];
  /** Shown when the list has no rows. */
  empty: ReactNode;
}

/** A table over a list operation whose lines are made of several items. */
export function ArrangedList<Read, Item, Row>(props: ListedProps<Read, Item, Row>) {
  const { query, rowsOf, arrange, empty, ...table } = props;
  const rows = arrange(query.data?.pages.flatMap(rowsOf) ?? []);
  if (query.isPending) return <Loading what={table.label} lines={10} />;
  if (query.error !== null && rows.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} isWhole />;
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
export function Listed<Read, Row>(props: Omit<ListedProps<Read, Row, Row>, 'arrange'>) {
  return <ArrangedList {...props} arrange={(rows) => rows} />;
}

/** A list without a row that has the text of its search. */
export function NoMatch({ text }: { text: string }) {
  return (
    <Empty title="No matches">
      <p className="anywhere">Nothing here has “{text}” in its name.</p>
    </Empty>
  );
}

interface ListPageProps<Read, Row> extends Omit<
  ListedProps<Read, Row, Row>,
  'arrange' | 'empty' | 'label' | 'onOpen' | 'rowId'
> {
  title: string;
  /** The button that makes one more. */
  add: ReactNode;
  /** Shown when there is none, above the button: what the list would hold. */
  empty: { title: string; about: string };
  /** The page of one row, to which its name leads. */
  placeOf: (row: Row) => LinkOptions;
}

/** The page of all things of one kind. Their first column is their name. */
export function ListPage<Read, Row extends { id: string; name: string }>(props: ListPageProps<Read, Row>) {
  const { title, add, empty, placeOf, columns, ...list } = props;
  const navigate = useNavigate();
  const { search } = useListSearch();
  const name: Column<Row> = {
    header: 'Name',
    width: 'minmax(96px, 1fr)',
    cell: (row) => <Link {...placeOf(row)}>{row.name}</Link>,
  };
  const isEmpty = search === undefined && isNothing(list.query, list.rowsOf);
  const nothing = (
    <Empty title={empty.title}>
      <p>{empty.about}</p>
      {add}
    </Empty>
  );
  return (
    <Page
      title={title}
      actions={add}
      filters={isEmpty ? undefined : <SearchField label={`Search in ${title}`} />}
    >
      <Listed
        {...list}
        label={title}
        columns={[name, ...columns]}
        rowId={({ id }) => id}
        onOpen={(row) => void navigate(placeOf(row))}
        empty={search === undefined ? nothing : <NoMatch text={search} />}
      />
    </Page>
  );
}

/** A button that leads to the form of a new thing. */
export function AddButton({ to, children }: { to: LinkOptions; children: string }) {
  const navigate = useNavigate();
  return (
    <ActionButton isMain icon={IconPlus} onClick={() => void navigate(to)}>
      {children}
    </ActionButton>
  );
}

interface ReadPagesProps<Read, Item> {
  query: PagedQuery<Read>;
  /** For the loading text: `the results`. */
  what: string;
  rowsOf: (page: Read) => readonly Item[];
  empty: ReactNode;
  /** The word of the button that reads further ones; null without a button. Default: More. */
  more?: string | null;
  children: (rows: readonly Item[]) => ReactNode;
}

/** A short list within a page: loading, failed, empty, or its rows with a button for further ones. */
export function ReadPages<Read, Item>(props: ReadPagesProps<Read, Item>) {
  const { query, what, rowsOf, empty, more = 'More', children } = props;
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what={what} lines={3} />;
  const rows = query.data.pages.flatMap(rowsOf);
  if (rows.length === 0) return <p className="soft">{empty}</p>;
  return (
    <div className="stack">
      {children(rows)}
      {more !== null && query.hasNextPage && (
        <div>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {more}
          </Button>
        </div>
      )}
    </div>
  );
}
