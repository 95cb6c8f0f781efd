import { Button, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { IconPlus } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';

function NewDatabase({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [kind, setKind] = useState<'managed' | 'postgres'>('managed');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const create = useMutation({
    mutationFn: () =>
      call('createDatabase', {
        body: kind === 'managed' ? { name, kind } : { name, kind, connection_url: url },
      }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['listDatabases'] });
      await navigate({ to: '/databases/$databaseId', params: { databaseId: id } });
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title="New database">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <SegmentedControl
          data={[
            { value: 'managed', label: 'Kept by Gleaner' },
            { value: 'postgres', label: 'Your own Postgres' },
          ]}
          value={kind}
          onChange={(value) => setKind(value === 'postgres' ? 'postgres' : 'managed')}
        />
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {kind === 'postgres' && (
          <TextInput
            label="Connection"
            description="Stored encrypted and never shown again."
            placeholder="postgres://user:password@host:5432/database"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
        )}
        {create.error !== null && <Failure error={create.error} />}
        <div>
          <Button
            type="submit"
            disabled={name.trim() === '' || (kind === 'postgres' && url === '')}
            loading={create.isPending}
          >
            Create
          </Button>
        </div>
      </form>
    </Modal>
  );
}

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
      <NewDatabase opened={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}
