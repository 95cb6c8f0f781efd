import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listQuery } from '../api/call.ts';
import { ChangeList } from '../changes/change-list.tsx';
import { dataFirst } from '../databases/filters.ts';
import { liveDatabase } from '../databases/live-database.ts';
import { rowsText } from '../databases/row-count.ts';
import { RowCell } from '../databases/row-cell.tsx';
import { rowName } from '../format/row-name.ts';
import { kindOf, type ColumnType } from '../databases/filters.ts';
import { column } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { Listed } from '../parts/listed.tsx';
import { Empty, Loading } from '../parts/page.tsx';
import { fromOf, RecordDrawer } from '../parts/record-drawer.tsx';
import { ownValue } from '../runs/own-cell.tsx';
import { useOpened } from '../parts/use-opened.ts';
import type { Collection } from '../today/runs-squares.ts';
import { readAt, shownColumns } from './shown-columns.ts';

type Row = Record<string, unknown>;

const PARTS = [
  { value: 'rows', label: 'All rows' },
  { value: 'changes', label: 'What changed' },
];

const NEWEST = '_fetched_at';

/** How often rows are read again while one page holds them all. */
const LIVE_MS = 5_000;

function columnOf({ name, type }: ColumnType, place: number): Column<Row> {
  const width = place === 0 ? 'minmax(200px, 2fr)' : 'minmax(120px, 1fr)';
  return {
    ...column(name === NEWEST ? 'read' : name, width, (row: Row) => (
      <RowCell name={name} value={name === NEWEST ? readAt(row) : row[name]} />
    )),
    align: kindOf(type) === 'number' ? 'right' : undefined,
    isExtra: place > 1,
  };
}

interface TableRowsProps {
  database: string;
  table: string;
  /** A change of it says that more rows may be there. */
  version: string;
}

function TableRows({ database, table, version }: TableRowsProps) {
  const known = useQuery(liveDatabase(database));
  const info = known.data?.tables?.find(({ name }) => name === table);
  const columns = info?.columns ?? [];
  const isDated = columns.some(({ name }) => name === NEWEST);
  const query = useInfiniteQuery({
    ...listQuery(
      'listRows',
      { params: { id: database, table }, query: { order_by: isDated ? `-${NEWEST}` : undefined } },
      version,
    ),
    enabled: info !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.pagination.cursor === null ? LIVE_MS : false),
  });
  const nameOf = (row: Row): string => rowName(row, info?.key ?? []);
  const { opened, open, close } = useOpened(query.data?.pages.flatMap(({ rows }) => rows) ?? [], nameOf);
  const [part, setPart] = useState('rows');
  if (known.data && !info)
    return (
      <Empty title="The table is not there yet">
        <p>It is made when the first row is written.</p>
      </Empty>
    );
  if (!info) return <Loading what="the table" />;
  return (
    <div className="column">
      <div className="filters small soft">
        {info.history !== null && (
          <SegmentedControl aria-label="Show" data={PARTS} value={part} onChange={setPart} />
        )}
        <p>
          {rowsText(info)}, the latest first, of{' '}
          <Link to="/databases/$databaseId/$table" params={{ databaseId: database, table }}>
            {table}
          </Link>
          , where you filter and export them.
        </p>
      </div>
      <div className="fill">
        {part === 'changes' && (
          <ChangeList
            params={{ id: database, table }}
            empty={<Empty title="Nothing has changed since its history began" />}
          />
        )}
        {part === 'rows' && (
          <Listed
            label="Rows"
            query={query}
            rowsOf={({ rows }) => rows}
            rowId={nameOf}
            onOpen={open}
            columns={shownColumns(dataFirst(columns)).map(columnOf)}
            empty={<Empty title="The table is empty" />}
          />
        )}
      </div>
      {opened && <RecordDrawer data={opened} from={fromOf(opened)} cell={ownValue} onClose={close} />}
    </div>
  );
}

/** The rows of a collection, the latest first. */
export function RowsTab({ collection: { database, table, target, runs } }: { collection: Collection }) {
  const [latest] = runs;
  if (database !== null && table !== null)
    return (
      <TableRows
        database={database}
        table={table}
        version={`${latest?.run_id ?? ''} ${latest?.status ?? ''}`}
      />
    );
  return (
    <Empty title="Its rows are in the tables of its stages">
      {target.type === 'workflow' && (
        <p>
          <Link to="/workflows/$workflowId" params={{ workflowId: target.workflowId }}>
            Open the workflow
          </Link>
          , which says where each stage writes.
        </p>
      )}
    </Empty>
  );
}
