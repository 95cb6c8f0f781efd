import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import type { Column } from '../parts/data-table.tsx';
import { IconPlus, IconTrash } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { useChange } from '../parts/use-change.ts';
import { Id, When } from '../parts/values.tsx';
import { FirstParser } from './first-parser.tsx';

type Parser = CallOutput<'getParser'>;

function fieldNames({ schema }: Parser): string[] {
  const { fields } = schema;
  return typeof fields === 'object' && fields !== null ? Object.keys(fields) : [];
}

const COLUMNS: readonly Column<Parser>[] = [
  {
    header: 'Name',
    width: 'minmax(160px, 1fr)',
    cell: ({ id, name }) => (
      <Link to="/parsers/$parserId" params={{ parserId: id }}>
        {name}
      </Link>
    ),
  },
  {
    header: 'Fields',
    isExtra: true,
    width: 'minmax(160px, 2fr)',
    cell: (parser) => <span className="soft">{fieldNames(parser).join(', ')}</span>,
  },
  { header: 'Version', isExtra: true, width: '70px', cell: ({ version }) => `v${version}` },
  { header: 'Id', isExtra: true, width: '110px', cell: ({ id }) => <Id id={id} /> },
  { header: 'Changed', width: '120px', cell: (one) => <When at={one.updated_at} /> },
];

/** All parsers; without one, the way to the first. */
export function ParsersPage() {
  const navigate = useNavigate();
  const query = useInfiniteQuery(listQuery('listParsers', { query: {} }));
  const [deleting, setDeleting] = useState<Parser | undefined>();
  const remove = useChange((id: string) => call('deleteParser', { params: { id } }), {
    stale: ['listParsers'],
  });
  const menu: Column<Parser> = {
    header: '',
    width: '32px',
    cell: (parser) => (
      <RowMenu
        name={parser.name}
        actions={[
          {
            label: 'Run over many pages',
            onClick: () => void navigate({ to: '/runs/new', search: { parser: parser.id } }),
          },
          {
            label: 'Versions',
            onClick: () =>
              void navigate({ to: '/parsers/$parserId/versions', params: { parserId: parser.id } }),
          },
          { label: 'Delete', icon: IconTrash, isRed: true, onClick: () => setDeleting(parser) },
        ]}
      />
    ),
  };
  return (
    <Page
      title="Parsers"
      actions={
        <ActionButton isMain icon={IconPlus} onClick={() => void navigate({ to: '/parsers/new' })}>
          New parser
        </ActionButton>
      }
    >
      <Listed
        label="Parsers"
        query={query}
        rowsOf={(page) => page.parsers}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/parsers/$parserId', params: { parserId: id } })}
        empty={<FirstParser />}
        columns={[...COLUMNS, menu]}
      />
      {deleting && (
        <Confirm
          onClose={() => setDeleting(undefined)}
          title={`Delete ${deleting.name}`}
          action="Delete parser"
          run={() => remove.mutateAsync(deleting.id)}
        >
          The parser and its versions are deleted for good. The data that it has collected stays.
        </Confirm>
      )}
    </Page>
  );
}
