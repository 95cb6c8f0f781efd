import { ActionIcon, Button, Menu, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { IconDotsVertical, IconPlus, IconTrash } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Id, When } from '../parts/values.tsx';
import { completeUrl, EXAMPLES } from '../studio/pages/fetch-page.ts';

type Parser = CallOutput<'getParser'>;

function fieldNames({ schema }: Parser): string[] {
  const { fields } = schema;
  return typeof fields === 'object' && fields !== null ? Object.keys(fields) : [];
}

/** The first minute: one field and three examples. */
function FirstParser() {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  return (
    <div className="state" style={{ maxWidth: 640, margin: '0 auto', paddingTop: '12vh' }}>
      <h2 style={{ fontSize: 20 }}>Which page do you want data from?</h2>
      <p>
        Open it, click on what you want, and see it as a table. Then run it over as many pages as you like.
      </p>
      <form
        className="row open-line"
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() === '') return;
          const search = { open: completeUrl(url) };
          void navigate({ to: '/parsers/new', search, state: (known) => ({ ...known, isPaid: true }) });
        }}
      >
        <TextInput
          size="md"
          className="grow"
          aria-label="Address of a page"
          placeholder="Paste a link to a page"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          autoFocus
        />
        <Button size="md" type="submit" disabled={url.trim() === ''}>
          Open for 1 credit
        </Button>
      </form>
      <p style={{ marginTop: 22, marginBottom: 8 }}>Or start with an example, free of charge:</p>
      <div className="choice">
        {EXAMPLES.map(({ name, title, about }) => (
          <button
            key={name}
            type="button"
            onClick={() => void navigate({ to: '/parsers/new', search: { example: name } })}
          >
            {title}
            <small>{about}</small>
          </button>
        ))}
      </div>
    </div>
  );
}

function RowMenu({ parser, onDelete }: { parser: Parser; onDelete: () => void }) {
  const navigate = useNavigate();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`More for ${parser.name}`}>
          <IconDotsVertical size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void navigate({ to: '/runs/new', search: { parser: parser.id } })}>
          Run over many pages
        </Menu.Item>
        <Menu.Item
          onClick={() =>
            void navigate({ to: '/parsers/$parserId/versions', params: { parserId: parser.id } })
          }
        >
          Versions
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={onDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function ParsersPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const query = useInfiniteQuery(listQuery('listParsers', { query: {} }));
  const [doomed, setDoomed] = useState<Parser | undefined>();
  const open = (parser: Parser): void =>
    void navigate({ to: '/parsers/$parserId', params: { parserId: parser.id } });
  return (
    <Page
      title="Parsers"
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={() => void navigate({ to: '/parsers/new' })}>
          New parser
        </Button>
      }
    >
      <Listed
        label="Parsers"
        query={query}
        rowsOf={(page) => page.parsers}
        rowId={({ id }) => id}
        onOpen={open}
        empty={<FirstParser />}
        columns={[
          {
            id: 'name',
            header: 'Name',
            width: 'minmax(160px, 1fr)',
            cell: ({ id, name }) => (
              <Link to="/parsers/$parserId" params={{ parserId: id }}>
                {name}
              </Link>
            ),
          },
          {
            id: 'fields',
            isExtra: true,
            header: 'Fields',
            width: 'minmax(160px, 2fr)',
            cell: (parser) => <span className="soft">{fieldNames(parser).join(', ')}</span>,
          },
          {
            id: 'version',
            isExtra: true,
            header: 'Version',
            width: '70px',
            cell: ({ version }) => `v${version}`,
          },
          { id: 'id', isExtra: true, header: 'Id', width: '110px', cell: ({ id }) => <Id id={id} /> },
          { id: 'updated', header: 'Changed', width: '120px', cell: (one) => <When at={one.updated_at} /> },
          {
            id: 'menu',
            header: '',
            width: '32px',
            cell: (parser) => <RowMenu parser={parser} onDelete={() => setDoomed(parser)} />,
          },
        ]}
      />
      <Confirm
        opened={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        title={`Delete ${doomed?.name ?? ''}`}
        action="Delete parser"
        run={async () => {
          if (doomed) await call('deleteParser', { params: { id: doomed.id } });
          await client.invalidateQueries({ queryKey: ['listParsers'] });
        }}
      >
        The parser and its versions are gone for good. What it has collected stays.
      </Confirm>
    </Page>
  );
}
