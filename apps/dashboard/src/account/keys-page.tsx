import { Button, Menu, Modal, TextInput, ActionIcon } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createKey, keysQuery, revokeKey, type Key } from '../api/keys.ts';
import { sessionQuery } from '../api/session.ts';
import { Confirm } from '../parts/confirm.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { IconDotsVertical, IconPlus, IconRefresh, IconTrash } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';

/** Makes a key and shows it once. With `replaces` the old key works until it is revoked here. */
function KeyDialog({ replaces, onClose }: { replaces: Key | undefined; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(replaces?.name ?? '');
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const create = useMutation({ mutationFn: () => createKey(name.trim()), onSuccess: refresh });
  const revoke = useMutation({
    mutationFn: (id: string) => revokeKey(id),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  const title = replaces ? `Rotate ${replaces.name}` : 'New key';
  if (create.data) {
    return (
      <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
        <div className="stack">
          <p>This key is shown once. Put it where the program reads it, then close.</p>
          <CodeBlock label="API key" text={create.data.api_key} />
          {revoke.error !== null && <Failure error={revoke.error} />}
          <div className="row wrap">
            <Button onClick={onClose}>I have it</Button>
            {replaces && (
              <Button variant="default" loading={revoke.isPending} onClick={() => revoke.mutate(replaces.id)}>
                Revoke the old one now
              </Button>
            )}
          </div>
          {replaces && (
            <p className="small soft">
              Until you revoke it, the old key works too: change programs over first.
            </p>
          )}
        </div>
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') create.mutate();
        }}
      >
        <TextInput
          label="Name"
          description="What uses it: production, laptop, notebook"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {create.error !== null && <Failure error={create.error} />}
        <div>
          <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** The keys of the account: made, shown once, rotated with an overlap, revoked. */
export function KeysPage() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const query = useQuery(keysQuery);
  const [dialog, setDialog] = useState<{ replaces: Key | undefined } | undefined>();
  const [revoking, setRevoking] = useState<Key | undefined>();
  const own = session.data?.key.id;
  return (
    <Page
      title="Keys"
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={() => setDialog({ replaces: undefined })}>
          New key
        </Button>
      }
    >
      <Loaded query={query} what="the keys">
        {(keys) => (
          <DataTable
            label="Keys"
            rows={keys}
            rowId={({ id }) => id}
            columns={[
              {
                id: 'state',
                header: 'State',
                width: '110px',
                cell: ({ revoked_at }) =>
                  revoked_at === null ? (
                    <Status status="succeeded" word="works" />
                  ) : (
                    <Status status="cancelled" word="revoked" />
                  ),
              },
              {
                id: 'name',
                header: 'Name',
                width: 'minmax(140px, 1fr)',
                cell: ({ id, name }) => (
                  <span>
                    {name} {id === own && <span className="soft small">signed in with it</span>}
                  </span>
                ),
              },
              {
                id: 'shown',
                isExtra: true,
                header: 'Key',
                width: 'minmax(160px, 1fr)',
                cell: ({ shown }) => <code className="soft">{shown}</code>,
              },
              {
                id: 'used',
                header: 'Last used',
                width: '130px',
                cell: ({ last_used_at }) =>
                  last_used_at === null ? <span className="soft">never</span> : <When at={last_used_at} />,
              },
              {
                id: 'created',
                isExtra: true,
                header: 'Created',
                width: '130px',
                cell: ({ created_at }) => <When at={created_at} />,
              },
              {
                id: 'more',
                header: '',
                width: '40px',
                cell: (key) =>
                  key.revoked_at === null ? (
                    <Menu>
                      <Menu.Target>
                        <ActionIcon aria-label={`More for ${key.name}`} size={22}>
                          <IconDotsVertical size={14} />
                        </ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        <Menu.Item
                          leftSection={<IconRefresh size={14} />}
                          onClick={() => setDialog({ replaces: key })}
                        >
                          Rotate
                        </Menu.Item>
                        <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => setRevoking(key)}>
                          Revoke
                        </Menu.Item>
                      </Menu.Dropdown>
                    </Menu>
                  ) : null,
              },
            ]}
          />
        )}
      </Loaded>
      {dialog && <KeyDialog replaces={dialog.replaces} onClose={() => setDialog(undefined)} />}
      <Confirm
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke ${revoking?.name ?? 'the key'}`}
        action="Revoke key"
        run={async () => {
          if (revoking) await revokeKey(revoking.id);
          await client.invalidateQueries({ queryKey: keysQuery.queryKey });
        }}
      >
        Programs that use it are refused within a second.
        {revoking?.id === own && ' You signed in with this key, so this session ends too.'}
      </Confirm>
    </Page>
  );
}
