import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { listQuery } from '../api/queries.ts';
import { IconPlus } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { NewDatabase } from './new-database.tsx';

export function DatabasesPage() {
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const query = useInfiniteQuery(listQuery('listDatabases', { query: {} }));
  const add = (
    <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      New database
    </Button>
  );
  return (
    <Page title="Databases" actions={add}>
      <Listed
        label="Databases"
        query={query}
        rowsOf={(page) => page.databases}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/databases/$databaseId', params: { databaseId: id } })}
        empty={
          <Empty title="No database yet">
            <p>A database holds rows that batches write: one table for each kind of page, updated by key.</p>
            {add}
          </Empty>
        }
        columns={[
          {
            id: 'name',
            header: 'Name',
            width: 'minmax(160px, 1fr)',
            cell: ({ id, name }) => (
              <Link to="/databases/$databaseId" params={{ databaseId: id }}>
                {name}
              </Link>
            ),
          },
          {
            id: 'kind',
            header: 'Kept',
            width: 'minmax(180px, 1fr)',
            cell: ({ kind, host }) => (
              <span className="soft">{kind === 'managed' ? 'by Gleaner' : `at ${host ?? ''}`}</span>
            ),
          },
          {
            id: 'changed',
            isExtra: true,
            header: 'Changed',
            width: '120px',
            cell: (one) => <When at={one.updated_at} />,
          },
        ]}
      />
      <NewDatabase
        opened={isAdding}
        onClose={() => setAdding(false)}
        onCreated={(id) => void navigate({ to: '/databases/$databaseId', params: { databaseId: id } })}
      />
    </Page>
  );
}
