import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, sessionQuery, useChange, type CallOutput } from '../api/call.ts';
import { column, extra } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { FormDialog, SecretDialog } from '../parts/form-dialog.tsx';
import { textInput } from '../parts/forms.tsx';
import { IconPlus, IconRefresh, IconTrash } from '../parts/icons.ts';
import { Listed, NoMatch } from '../parts/listed.tsx';
import { useListSearch, useFound } from '../parts/list-search.ts';
import { SearchField } from '../parts/search-field.tsx';
import { OpenButton } from '../parts/buttons.tsx';
import { Page, Failure, Status } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { RowMenu } from '../parts/row-menu.tsx';

/** A key of the account: enough to recognise it, not to use it. */
type Key = CallOutput<'getKey'>;

const STALE = ['listKeys'];

function revokeKey(id: string): Promise<void> {
  return call('deleteKey', { params: { id } });
}

/** Makes a key and shows it once. With `replaces` the old key works until it is revoked here. */
function KeyDialog({ replaces, onClose }: { replaces: Key | undefined; onClose: () => void }) {
  const [name, setName] = useState(replaces?.name ?? '');
  const create = useChange(() => call('createKey', { body: { name: name.trim() } }), { stale: STALE });
  const revoke = useChange(revokeKey, { stale: STALE, onDone: onClose });
  const title = replaces ? `Rotate ${replaces.name}` : 'New key';
  if (create.data)
    return (
      <SecretDialog
        title={title}
        about="This key is shown once. Copy it to the program that uses it, then close."
        label="API key"
        secret={create.data.api_key}
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
      submit="Create key"
      isReady={name.trim() !== ''}
    >
      <TextInput
        label="Name"
        description="What uses it: production, laptop, notebook"
        {...textInput(name, setName)}
        data-autofocus
      />
    </FormDialog>
  );
}

function columnsOf(own: string | undefined): readonly Column<Key>[] {
  return [
    column('State', '110px', ({ revoked_at: at }) =>
      at === null ? <Status status="succeeded" word="works" /> : <Status status="cancelled" word="revoked" />,
    ),
    column('Name', 'minmax(140px, 1fr)', ({ id, name }) => (
      <span>
        {name} {id === own && <span className="soft small">this session uses it</span>}
      </span>
    )),
    extra(column('Key', 'minmax(160px, 1fr)', ({ shown }) => <code className="soft">{shown}</code>)),
    extra(
      column('Last used', '130px', ({ last_used_at: at }) =>
        at === null ? <span className="soft">never</span> : <When at={at} />,
      ),
    ),
    extra(column('Created', '130px', (key) => <When at={key.created_at} />)),
  ];
}

/** The keys of the account: made, shown once, rotated with an overlap, revoked. */
export function KeysPage() {
  const session = useQuery(sessionQuery);
  const { search } = useListSearch();
  const [replaces, setReplaces] = useState<Key | undefined>();
  const own = session.data?.key.id;
  const menu: Column<Key> = {
    header: '',
    width: '40px',
    cell: (key) =>
      key.revoked_at === null && (
        <RowMenu
          name={key.name}
          actions={[
            { label: 'Rotate', icon: IconRefresh, onClick: () => setReplaces(key) },
            {
              label: 'Revoke',
              icon: IconTrash,
              confirm: {
                title: `Revoke ${key.name}`,
                action: 'Revoke key',
                run: () => revokeKey(key.id),
                stale: STALE,
                children: `Programs that use it are refused within a second.${
                  key.id === own ? ' You signed in with this key, so this session ends too.' : ''
                }`,
              },
            },
          ]}
        />
      ),
  };
  return (
    <Page
      title="Keys"
      filters={<SearchField label="Search in Keys" />}
      actions={
        <OpenButton
          isMain
          icon={IconPlus}
          dialog={(close) => <KeyDialog replaces={undefined} onClose={close} />}
        >
          New key
        </OpenButton>
      }
    >
      <Listed
        label="Keys"
        query={useFound('listKeys')}
        rowsOf={(page) => page.keys}
        rowId={({ id }) => id}
        columns={[...columnsOf(own), menu]}
        empty={search !== undefined && <NoMatch text={search} />}
      />
      {replaces && <KeyDialog replaces={replaces} onClose={() => setReplaces(undefined)} />}
    </Page>
  );
}
