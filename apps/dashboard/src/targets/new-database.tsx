import { Button, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DatabaseKind } from '@gleaner/contracts/values';
import { call } from '../api/call.ts';
import { choicesOf } from '../parts/choices.ts';
import { Failure } from '../parts/states.tsx';

const KIND_WORDS = {
  managed: 'Kept by Gleaner',
  postgres: 'Your own Postgres',
} satisfies Record<DatabaseKind, string>;

interface NewDatabaseProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (databaseId: string) => void;
}

/** Makes a database, on the page of databases and wherever one is chosen. */
export function NewDatabase({ opened, onClose, onCreated }: NewDatabaseProps) {
  const client = useQueryClient();
  const [kind, setKind] = useState<DatabaseKind>('managed');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const create = useMutation({
    mutationFn: () =>
      call('createDatabase', {
        body: kind === 'managed' ? { name, kind } : { name, kind, connection_url: url },
      }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['listDatabases'] });
      onCreated(id);
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title="New database">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          // The dialog may be within another form.
          event.stopPropagation();
          create.mutate();
        }}
      >
        <SegmentedControl data={choicesOf(KIND_WORDS)} value={kind} onChange={setKind} />
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
