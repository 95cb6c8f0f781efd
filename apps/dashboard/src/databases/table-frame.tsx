import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';
import { liveDatabase } from './live-database.ts';
import { rowsText } from './row-count.ts';

/** The table of the opened page; `info` is undefined until it is read, and when it isn't there. */
export function useTable() {
  const { databaseId, table } = useParams({ from: '/app/databases/$databaseId/$table' });
  const database = useQuery(liveDatabase(databaseId));
  return {
    params: { id: databaseId, table },
    database,
    info: database.data?.tables?.find(({ name }) => name === table),
  };
}

const TABS = [
  { value: 'rows', label: 'Rows' },
  { value: 'changes', label: 'Changes' },
];

interface TableFrameProps {
  actions?: ReactNode;
  /** Beside the tabs. */
  filters?: ReactNode;
  children: ReactNode;
}

/** What the pages of a table have in common: its name, its place and the tabs. */
export function TableFrame({ actions, filters, children }: TableFrameProps) {
  const { params, database, info } = useTable();
  const { tab = 'rows' } = useSearch({ from: '/app/databases/$databaseId/$table' });
  const navigate = useNavigate({ from: '/databases/$databaseId/$table' });
  return (
    <Page
      title={params.table}
      crumbs={[
        <Link to="/databases">Databases</Link>,
        <Link to="/databases/$databaseId" params={{ databaseId: params.id }}>
          {database.data?.name ?? '…'}
        </Link>,
      ]}
      aside={info && <span className="soft small">{rowsText(info)}</span>}
      actions={actions}
      filters={
        <>
          <SegmentedControl
            aria-label="Part"
            data={TABS}
            value={tab}
            onChange={(next) =>
              void navigate({
                search: (known) => ({ ...known, tab: next === 'changes' ? next : undefined }),
                replace: true,
              })
            }
          />
          {filters}
        </>
      }
    >
      {children}
    </Page>
  );
}
