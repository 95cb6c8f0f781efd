import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { AlarmNotice } from '../alarms/alarm-notice.tsx';
import { Link, linkOptions, useNavigate } from '@tanstack/react-router';
import { call, useChange, type CallOutput } from '../api/call.ts';
import type { Column } from '../parts/data-table.tsx';
import { Form, textInput } from '../parts/forms.tsx';
import { IconPencil, IconTrash } from '../parts/icons.ts';
import { AddButton, Listed, NoMatch } from '../parts/listed.tsx';
import { isNothing, useListSearch, useFound } from '../parts/list-search.ts';
import { SearchField } from '../parts/search-field.tsx';
import { Page, Id } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Button, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { ExampleChoice } from '../studio/fetching/examples.tsx';
import styles from './parsers.module.css';

/** The first minute: one field and three examples. */
function FirstParser() {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  return (
    <div className={`state ${styles.first}`}>
      <h2>Which page do you want data from?</h2>
      <p>
        Open it, click on what you want, and see it as a table. Then run it over as many pages as you like.
      </p>
      <Form
        className={`row ${styles.openLine}`}
        onSubmit={() => {
          if (url.trim() === '') return;
          const search = { open: url.trim() };
          void navigate({ to: '/parsers/new', search, state: (known) => ({ ...known, isPaid: true }) });
        }}
      >
        <TextInput
          size="md"
          className="grow"
          aria-label="Address of a page"
          placeholder="Paste a link to a page"
          {...textInput(url, setUrl)}
          autoFocus
        />
        <Button size="md" type="submit" disabled={url.trim() === ''}>
          Open for 1 credit
        </Button>
      </Form>
      <p>Or start with an example, free of charge:</p>
      <ExampleChoice onChoose={(example) => void navigate({ to: '/parsers/new', search: { example } })} />
      <p>
        Not sure yet? <Link to="/try">Try a page</Link>: its text, picture and data, before anything is saved.
      </p>
    </div>
  );
}

type Parser = CallOutput<'listParsers'>['parsers'][number];

/** Rarely opened, so the list does not wait for its code. */
const ParserNames = lazy(async () => ({ default: (await import('./parser-names.tsx')).ParserNames }));

const COLUMNS: readonly Column<Parser>[] = [
  {
    header: 'Name',
    width: 'minmax(110px, 1fr)',
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
    cell: ({ fields }) => <span className="soft">{fields.join(', ')}</span>,
  },
  { header: 'State', width: '140px', cell: ({ id }) => <AlarmBadge parserId={id} /> },
  { header: 'Version', isExtra: true, width: '70px', cell: ({ version }) => `v${version}` },
  {
    header: 'Slug or id',
    isExtra: true,
    width: '130px',
    cell: ({ id, slug }) => (slug === null ? <Id id={id} /> : <code title={id}>{slug}</code>),
  },
  { header: 'Changed', isExtra: true, width: '120px', cell: (one) => <When at={one.updated_at} /> },
];

/** All parsers; without one, the way to the first. */
export function ParsersPage() {
  const navigate = useNavigate();
  const search = useListSearch();
  const query = useFound('listParsers');
  const [named, setNamed] = useState<Parser>();
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
          { label: 'Name and slug', icon: IconPencil, onClick: () => setNamed(parser) },
          {
            label: 'Versions',
            onClick: () =>
              void navigate({ to: '/parsers/$parserId/versions', params: { parserId: parser.id } }),
          },
          {
            label: 'Delete',
            icon: IconTrash,
            isRed: true,
            confirm: {
              title: `Delete ${parser.name}`,
              action: 'Delete parser',
              run: () => remove.mutateAsync(parser.id),
              children: 'The parser and its versions are deleted permanently. Data that it collected stays.',
            },
          },
        ]}
      />
    ),
  };
  const isFirst = search.search === undefined && isNothing(query, ({ parsers }) => parsers);
  return (
    <Page
      title="Parsers"
      actions={<AddButton to={linkOptions({ to: '/parsers/new' })}>New parser</AddButton>}
      filters={isFirst ? undefined : <SearchField label="Search in Parsers" />}
    >
      <AlarmNotice />
      <Listed
        label="Parsers"
        query={query}
        rowsOf={(page) => page.parsers}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/parsers/$parserId', params: { parserId: id } })}
        empty={search.search === undefined ? <FirstParser /> : <NoMatch text={search.search} />}
        columns={[...COLUMNS, menu]}
      />
      {named && (
        <Suspense fallback={null}>
          <ParserNames parser={named} onClose={() => setNamed(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}
