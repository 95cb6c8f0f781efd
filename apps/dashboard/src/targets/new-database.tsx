import { SegmentedControl, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call } from '../api/call.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useChange } from '../parts/use-change.ts';

interface NewDatabaseProps {
  onClose: () => void;
  onCreated: (databaseId: string) => void;
}

interface Draft {
  kind: 'managed' | 'postgres';
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
      onSubmit={() => create.mutate()}
      submit="Create"
      isReady={name.trim() !== '' && (kind === 'managed' || url !== '')}
    >
      <SegmentedControl
        data={[
          { value: 'managed', label: 'Kept by Gleaner' },
          { value: 'postgres', label: 'Your own Postgres' },
        ]}
        {...form.getInputProps('kind')}
      />
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
