import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createKey, keysQuery, revokeKey, type Key } from '../api/keys.ts';
import { sessionQuery } from '../api/session.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { FormDialog, SecretDialog } from '../parts/form-dialog.tsx';
import { IconPlus, IconRefresh, IconTrash } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { useChange } from '../parts/use-change.ts';
import { Status, When } from '../parts/values.tsx';

const STALE = ['listKeys'];

/** Makes a key and shows it once. With `replaces` the old key works until it is revoked here. */
function KeyDialog({ replaces, onClose }: { replaces: Key | undefined; onClose: () => void }) {
  const [name, setName] = useState(replaces?.name ?? '');
  const create = useChange(() => createKey(name.trim()), { stale: STALE });
  const revoke = useChange((id: string) => revokeKey(id), { stale: STALE, onDone: onClose });
  const title = replaces ? `Rotate ${replaces.name}` : 'New key';
  if (create.data)
    return (
      <SecretDialog
        title={title}
        about="This key is shown once. Copy it to the program that uses it, then close."
        label="API key"
        secret={create.data.api_key}
        done="I have it"
        onClose={onClose}
      >
        {replaces && (
          <>
            <Button variant="default" loading={revoke.isPending} onClick={() => revoke.mutate(replaces.id)}>
              Revoke the old one now
            </Button>
            <p className="small soft">
              The old key works until you revoke it: change your programs to the new key first.
            </p>
          </>
        )}
        <Failure error={revoke.error} />
      </SecretDialog>
    );
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      sent={create}
      onSubmit={() => create.mutate()}
      submit="Create key"
      isReady={name.trim() !== ''}
    >
      <TextInput
        label="Name"
        description="What uses it: production, laptop, notebook"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  );
}

function columnsOf(own: string | undefined): readonly Column<Key>[] {
  return [
    {
      header: 'State',
      width: '110px',
      cell: ({ revoked_at: revokedAt }) =>
        revokedAt === null ? (
          <Status status="succeeded" word="works" />
        ) : (
          <Status status="cancelled" word="revoked" />
        ),
    },
    {
      header: 'Name',
      width: 'minmax(140px, 1fr)',
      cell: ({ id, name }) => (
        <span>
          {name} {id === own && <span className="soft small">signed in with it</span>}
        </span>
      ),
    },
    {
      header: 'Key',
      isExtra: true,
      width: 'minmax(160px, 1fr)',
      cell: ({ shown }) => <code className="soft">{shown}</code>,
    },
    {
      header: 'Last used',
      isExtra: true,
      width: '130px',
      cell: ({ last_used_at: at }) => (at === null ? <span className="soft">never</span> : <When at={at} />),
    },
    { header: 'Created', isExtra: true, width: '130px', cell: (key) => <When at={key.created_at} /> },
  ];
}

/** The keys of the account: made, shown once, rotated with an overlap, revoked. */
export function KeysPage() {
  const session = useQuery(sessionQuery);
  const query = useQuery(keysQuery);
  const [dialog, setDialog] = useState<{ replaces: Key | undefined } | undefined>();
  const [revoking, setRevoking] = useState<Key | undefined>();
  const revoke = useChange((id: string) => revokeKey(id), { stale: STALE });
  const own = session.data?.key.id;
  const menu: Column<Key> = {
    header: '',
    width: '40px',
    cell: (key) =>
      key.revoked_at === null && (
        <RowMenu
          name={key.name}
          actions={[
            { label: 'Rotate', icon: IconRefresh, onClick: () => setDialog({ replaces: key }) },
            { label: 'Revoke', icon: IconTrash, onClick: () => setRevoking(key) },
          ]}
        />
      ),
  };
  return (
    <Page
      title="Keys"
      actions={
        <ActionButton isMain icon={IconPlus} onClick={() => setDialog({ replaces: undefined })}>
          New key
        </ActionButton>
      }
    >
      <Loaded query={query} what="the keys">
        {(keys) => (
          <DataTable label="Keys" rows={keys} rowId={({ id }) => id} columns={[...columnsOf(own), menu]} />
        )}
      </Loaded>
      {dialog && <KeyDialog replaces={dialog.replaces} onClose={() => setDialog(undefined)} />}
      {revoking && (
        <Confirm
          onClose={() => setRevoking(undefined)}
          title={`Revoke ${revoking.name}`}
          action="Revoke key"
          run={() => revoke.mutateAsync(revoking.id)}
        >
          Programs that use it are refused within a second.
          {revoking.id === own && ' You signed in with this key, so this session ends too.'}
        </Confirm>
      )}
    </Page>
  );
}
