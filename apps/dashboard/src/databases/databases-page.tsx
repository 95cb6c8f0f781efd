import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { linkOptions, useNavigate } from '@tanstack/react-router';
import { listQuery, type CallOutput } from '../api/call.ts';
import type { Column } from '../parts/data-table.tsx';
import { IconPlus } from '../parts/icons.ts';
import { ListPage } from '../parts/listed.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { OpenButton } from '../parts/buttons.tsx';
import { When } from '../parts/when.tsx';
import { NewDatabase } from '../targets/new-database.tsx';

const COLUMNS: readonly Column<CallOutput<'listDatabases'>['databases'][number]>[] = [
  {
    header: 'Where',
    width: 'minmax(180px, 1fr)',
    cell: ({ kind, host }) => (
      <span className="soft">{kind === 'managed' ? 'managed by Gleaner' : (host ?? '')}</span>
    ),
  },
  { header: 'Changed', isExtra: true, width: '120px', cell: (one) => <When at={one.updated_at} /> },
];

/** All databases. */
export function DatabasesPage() {
  const navigate = useNavigate();
  const query = useInfiniteQuery({
    ...listQuery('listDatabases', { query: useListSearch() }),
    placeholderData: keepPreviousData,
  });
  const placeOf = (databaseId: string) =>
    linkOptions({ to: '/databases/$databaseId', params: { databaseId } });
  return (
    <ListPage
      title="Databases"
      query={query}
      rowsOf={(page) => page.databases}
      columns={COLUMNS}
      placeOf={({ id }) => placeOf(id)}
      add={
        <OpenButton
          isMain
          icon={IconPlus}
          dialog={(close) => <NewDatabase onClose={close} onCreated={(id) => void navigate(placeOf(id))} />}
        >
          New database
        </OpenButton>
      }
      empty={{
        title: 'No database yet',
        about: 'A database holds the rows that runs write: one table for each kind of page, updated by key.',
      }}
    />
  );
}
