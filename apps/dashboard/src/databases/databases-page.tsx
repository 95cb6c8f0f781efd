import { linkOptions, useNavigate } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { column, extra, softColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { IconPlus } from '../parts/icons.ts';
import { ListPage } from '../parts/listed.tsx';
import { useFound } from '../parts/list-search.ts';
import { OpenButton } from '../parts/buttons.tsx';
import { When } from '../parts/when.tsx';
import { NewDatabase } from '../targets/new-database.tsx';

const COLUMNS: readonly Column<CallOutput<'listDatabases'>['databases'][number]>[] = [
  softColumn('Where', 'minmax(180px, 1fr)', (one) =>
    one.kind === 'managed' ? 'managed by Gleaner' : one.host,
  ),
  extra(column('Changed', '120px', (one) => <When at={one.updated_at} />)),
];

/** All databases. */
export function DatabasesPage() {
  const navigate = useNavigate();
  const placeOf = (databaseId: string) =>
    linkOptions({ to: '/databases/$databaseId', params: { databaseId } });
  return (
    <ListPage
      title="Databases"
      query={useFound('listDatabases')}
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
