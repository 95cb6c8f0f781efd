import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, linkOptions, useNavigate, useParams } from '@tanstack/react-router';
import { call, useChange, type CallOutput } from '../api/call.ts';
import { ConfirmButton, DeleteButton } from '../parts/buttons.tsx';
import { column, extra, softColumn } from '../parts/columns.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { SecretDialog } from '../parts/form-dialog.tsx';
import { IconKey } from '../parts/icons.ts';
import { Page, Empty, Loaded } from '../parts/page.tsx';
import { liveDatabase } from './live-database.ts';
import { rowCount } from './row-count.ts';

type Database = CallOutput<'getDatabase'>;
type Table = NonNullable<Database['tables']>[number];

function columnsOf(databaseId: string): readonly Column<Table>[] {
  return [
    column('Table', 'minmax(140px, 1fr)', ({ name }) => (
      <Link to="/databases/$databaseId/$table" params={{ databaseId, table: name }}>
        {name}
      </Link>
    )),
    { header: 'Rows', width: '140px', align: 'right', cell: rowCount },
    extra(
      column('Key', 'minmax(120px, 1fr)', ({ key }) => (
        <code className="soft">{key.join(', ') || 'none'}</code>
      )),
    ),
    extra(
      softColumn('Columns', 'minmax(160px, 2fr)', ({ columns }) =>
        columns.map(({ name }) => name).join(', '),
      ),
    ),
  ];
}

function Tables({ database: { id, tables, problem }, onRetry }: { database: Database; onRetry: () => void }) {
  const navigate = useNavigate();
  if (tables === null)
    return (
      <Empty title="The database does not answer">
        <p>{problem}</p>
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Empty>
    );
  if (tables.length === 0)
    return (
      <Empty title="No table yet">
        <p>The first batch or cron that writes here creates its table.</p>
        <div className="row">
          <Button onClick={() => void navigate({ to: '/runs/new', search: { database: id } })}>
            New batch
          </Button>
          <Button
            variant="default"
            onClick={() => void navigate({ to: '/crons/new', search: { database: id } })}
          >
            New cron
          </Button>
        </div>
      </Empty>
    );
  return (
    <DataTable
      label="Tables"
      rows={tables}
      rowId={({ name }) => name}
      onOpen={({ name }) =>
        void navigate({ to: '/databases/$databaseId/$table', params: { databaseId: id, table: name } })
      }
      columns={columnsOf(id)}
    />
  );
}

/** The tables of a database. */
export function DatabasePage() {
  const { databaseId } = useParams({ from: '/app/databases/$databaseId' });
  const query = useQuery(liveDatabase(databaseId));
  const login = useChange(() => call('createDatabaseCredentials', { params: { id: databaseId } }));
  const database = query.data;
  return (
    <Page
      title={database?.name ?? 'Database'}
      crumbs={[<Link to="/databases">Databases</Link>]}
      actions={
        database && (
          <>
            {database.kind === 'managed' && (
              <ConfirmButton
                icon={IconKey}
                label="New login for BI tools"
                title={`New login for ${database.name}`}
                action="Make a new login"
                run={() => login.mutateAsync()}
              >
                A login can read all tables of {database.name} and change none. There is one at a time: a
                login that was made before stops working at once, for every tool that uses it.
              </ConfirmButton>
            )}
            <DeleteButton
              kind="database"
              name={database.name}
              run={() => call('deleteDatabase', { params: { id: databaseId } })}
              stale={['listDatabases']}
              next={linkOptions({ to: '/databases' })}
            >
              {database.kind === 'managed'
                ? 'Its tables, its rows and its login are deleted permanently.'
                : 'Gleaner forgets the connection. Your Postgres keeps its tables.'}
            </DeleteButton>
          </>
        )
      }
    >
      <Loaded query={query} what="the database">
        {(found) => <Tables database={found} onRetry={() => void query.refetch()} />}
      </Loaded>
      {login.data && (
        <SecretDialog
          title="Read-only login"
          about="The password is shown once. An earlier login has stopped working."
          label="Connection"
          secret={login.data.connection_url}
          onClose={login.reset}
        />
      )}
    </Page>
  );
}
