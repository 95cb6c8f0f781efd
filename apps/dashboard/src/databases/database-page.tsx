import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { Confirm } from '../parts/confirm.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { IconKey, IconTrash } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';

/** The tables of a database. */
export function DatabasePage() {
  const { databaseId } = useParams({ from: '/app/databases/$databaseId' });
  const navigate = useNavigate();
  const client = useQueryClient();
  const query = useQuery(operationQuery('getDatabase', { params: { id: databaseId } }));
  const [isDeleting, setDeleting] = useState(false);
  const login = useMutation({
    mutationFn: () => call('createDatabaseCredentials', { params: { id: databaseId } }),
  });
  const name = query.data?.name ?? 'Database';
  return (
    <Page
      title={name}
      crumbs={<Link to="/databases">Databases</Link>}
      actions={
        query.data && (
          <>
            {query.data.kind === 'managed' && (
              <Button
                variant="default"
                leftSection={<IconKey size={14} />}
                loading={login.isPending}
                onClick={() => login.mutate()}
              >
                New login for BI tools
              </Button>
            )}
            <Button variant="default" leftSection={<IconTrash size={14} />} onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </>
        )
      }
    >
      {login.error !== null && (
        <div className="state">
          <Failure error={login.error} />
        </div>
      )}
      <Loaded query={query} what="the database">
        {({ tables, problem }) =>
          tables === null ? (
            <Empty title="The database does not answer">
              <p>{problem}</p>
              <Button variant="default" onClick={() => void query.refetch()}>
                Try again
              </Button>
            </Empty>
          ) : tables.length === 0 ? (
            <Empty title="No table yet">
              <p>The first batch or cron that writes here makes its table.</p>
              <div className="row">
                <Button onClick={() => void navigate({ to: '/runs/new', search: { database: databaseId } })}>
                  New batch
                </Button>
                <Button
                  variant="default"
                  onClick={() => void navigate({ to: '/crons/new', search: { database: databaseId } })}
                >
                  New cron
                </Button>
              </div>
            </Empty>
          ) : (
            <DataTable
              label="Tables"
              rows={tables}
              rowId={(table) => table.name}
              onOpen={(table) =>
                void navigate({
                  to: '/databases/$databaseId/$table',
                  params: { databaseId, table: table.name },
                })
              }
              columns={[
                {
                  id: 'name',
                  header: 'Table',
                  width: 'minmax(140px, 1fr)',
                  cell: (table) => (
                    <Link to="/databases/$databaseId/$table" params={{ databaseId, table: table.name }}>
                      {table.name}
                    </Link>
                  ),
                },
                {
                  id: 'rows',
                  header: 'Rows',
                  width: '140px',
                  align: 'right',
                  cell: ({ rows, rows_exact: isExact }) => `${isExact ? '' : 'about '}${formatNumber(rows)}`,
                },
                {
                  id: 'key',
                  isExtra: true,
                  header: 'Key',
                  width: 'minmax(120px, 1fr)',
                  cell: ({ key }) => <code className="soft">{key.join(', ') || 'none'}</code>,
                },
                {
                  id: 'columns',
                  isExtra: true,
                  header: 'Columns',
                  width: 'minmax(160px, 2fr)',
                  cell: ({ columns }) => (
                    <span className="soft">{columns.map((column) => column.name).join(', ')}</span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Modal opened={login.data !== undefined} onClose={login.reset} title="Read-only login" size="lg">
        <div className="stack">
          <p>The password is shown this once. A login made earlier has stopped working.</p>
          <CodeBlock text={login.data?.connection_url ?? ''} label="Connection" />
        </div>
      </Modal>
      <Confirm
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}`}
        typed={name}
        action="Delete database"
        run={async () => {
          await call('deleteDatabase', { params: { id: databaseId } });
          await client.invalidateQueries({ queryKey: ['listDatabases'] });
          await navigate({ to: '/databases' });
        }}
      >
        {query.data?.kind === 'managed'
          ? 'All its tables and rows are gone for good, and so is its login.'
          : 'Gleaner forgets the connection. Your Postgres keeps its tables.'}
      </Confirm>
    </Page>
  );
}
