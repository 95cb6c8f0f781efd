import type { DatabaseKind } from '@gleaner/contracts/values';
import { SegmentedControl, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call, useChange } from '../api/call.ts';
import { choicesOf } from '../parts/choices.ts';
import { FormDialog } from '../parts/form-dialog.tsx';

interface NewDatabaseProps {
  onClose: () => void;
  onCreated: (databaseId: string) => void;
}

const KIND_WORDS = {
  managed: 'Managed by Gleaner',
  postgres: 'Your own Postgres',
} satisfies Record<DatabaseKind, string>;

interface Draft {
  kind: DatabaseKind;
  name: string;
  url: string;
}

/** Makes a database, on the page of databases and wherever one is chosen. */
export function NewDatabase({ onClose, onCreated }: NewDatabaseProps) {
  const form = useForm<Draft>({ initialValues: { kind: 'managed', name: '', url: '' } });
  const { kind, name, url } = form.values;
  const create = useChange(
    () =>
      call('createDatabase', {
        body: kind === 'managed' ? { name, kind } : { name, kind, connection_url: url },
      }),
    { stale: ['listDatabases'], onDone: ({ id }) => onCreated(id) },
  );
  return (
    <FormDialog
      title="New database"
      onClose={onClose}
      sent={create}
      submit="Create"
      isReady={name.trim() !== '' && (kind === 'managed' || url !== '')}
    >
      <SegmentedControl data={choicesOf(KIND_WORDS)} {...form.getInputProps('kind')} />
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      {kind === 'postgres' && (
        <TextInput
          label="Connection"
          description="Stored encrypted and never shown again."
          placeholder="postgres://user:password@host:5432/database"
          {...form.getInputProps('url')}
        />
      )}
    </FormDialog>
  );
}
