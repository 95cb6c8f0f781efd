import { Button, Menu, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, exportUrl } from '../api/call.ts';
import { listQuery, operationQuery } from '../api/queries.ts';
import { FORMAT_WORDS } from '../format/export-formats.ts';
import { formatNumber } from '../format/number.ts';
import { cellText } from '../format/shorten.ts';
import { choicesOf } from '../parts/choices.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Column } from '../parts/data-table.tsx';
import { IconChevronDown, IconDownload, IconTrash, IconX } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { operatorsFor, readFilter, writeFilter, type Condition } from './filters.ts';

type Row = Record<string, unknown>;

interface ConditionFormProps {
  columns: readonly { name: string; type: string }[];
  onAdd: (condition: Condition) => void;
}

function ConditionForm({ columns, onAdd }: ConditionFormProps) {
  const [column, setColumn] = useState<string | null>(null);
  const [operator, setOperator] = useState<string | null>(null);
  const [text, setText] = useState('');
  const type = columns.find(({ name }) => name === column)?.type ?? 'text';
  const operators = operatorsFor(type);
  const chosen = operators.find(({ value }) => value === operator) ?? operators[0];
  const isReady = column !== null && chosen !== undefined && (!chosen.needsValue || text !== '');
  return (
    <form
      className="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        onAdd({ column, operator: chosen.value, text });
        setText('');
      }}
    >
      <Select
        aria-label="Column"
        placeholder="Filter by …"
        data={columns.map(({ name }) => name)}
        value={column}
        searchable
        w={150}
        onChange={setColumn}
      />
      {column !== null && (
        <>
          <Select
            aria-label="Condition"
            data={operators.map(({ value, label }) => ({ value, label }))}
            value={chosen?.value ?? null}
            allowDeselect={false}
            w={110}
            onChange={setOperator}
          />
          {chosen?.needsValue === true &&
            (/bool/.test(type) ? (
              <Select
                aria-label="Value"
                data={[
                  { value: 'true', label: 'yes' },
                  { value: 'false', label: 'no' },
                ]}
                value={text === '' ? null : text}
                w={90}
                onChange={(value) => setText(value ?? '')}
              />
            ) : (
              <TextInput
                aria-label="Value"
                value={text}
                w={140}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            ))}
          <Button type="submit" variant="default" disabled={!isReady}>
            Add
          </Button>
        </>
      )}
    </form>
  );
}

/** Rows of a table: typed filters, order by a column, as many as there are. */
export function RowsPage() {
  const { databaseId, table } = useParams({ from: '/app/databases/$databaseId/$table' });
  const search = useSearch({ from: '/app/databases/$databaseId/$table' });
  const navigate = useNavigate({ from: '/databases/$databaseId/$table' });
  const client = useQueryClient();
  const [isDropping, setDropping] = useState(false);
  const database = useQuery(operationQuery('getDatabase', { params: { id: databaseId } }));
  const info = database.data?.tables?.find(({ name }) => name === table);
  const columns = info?.columns ?? [];
  const params = { id: databaseId, table };
  const query = useInfiniteQuery(
    listQuery('listRows', { params, query: { order_by: search.order, filter: search.filter } }),
  );
  const conditions = readFilter(search.filter);
  const setConditions = (next: Condition[]): void => {
    const typeOf = (name: string): string => columns.find((one) => one.name === name)?.type ?? 'text';
    void navigate({ search: (known) => ({ ...known, filter: writeFilter(next, typeOf) }), replace: true });
  };
  const toggle = (name: string): void => {
    const next = search.order === name ? `-${name}` : search.order === `-${name}` ? undefined : name;
    void navigate({ search: (known) => ({ ...known, order: next }), replace: true });
  };
  const shown: Column<Row>[] = columns.map(({ name, type }) => ({
    id: name,
    header: name,
    width: name.startsWith('_') ? '180px' : '200px',
    ...(/int|numeric|double|real/.test(type) ? { align: 'right' as const } : {}),
    cell: (row) => {
      const text = cellText(row[name]);
      if (name === '_run_id' && text !== '') return <RunLink id={text} />;
      if (name === '_fetched_at' && text !== '') return <When at={text} />;
      return text === '' ? <span className="soft">–</span> : <span title={text}>{text}</span>;
    },
    sort: {
      state: search.order === name ? 'up' : search.order === `-${name}` ? 'down' : undefined,
      onToggle: () => toggle(name),
    },
  }));
  return (
    <Page
      title={table}
      crumbs={
        <>
          <Link to="/databases">Databases</Link>
          <span aria-hidden>/</span>
          <Link to="/databases/$databaseId" params={{ databaseId }}>
            {database.data?.name ?? '…'}
          </Link>
        </>
      }
      aside={
        info && (
          <span className="soft small">
            {info.rows_exact ? '' : 'about '}
            {formatNumber(info.rows)} rows
          </span>
        )
      }
      actions={
        <>
          <Button variant="default" leftSection={<IconTrash size={14} />} onClick={() => setDropping(true)}>
            Drop table
          </Button>
          <Menu>
            <Menu.Target>
              <Button leftSection={<IconDownload size={14} />} rightSection={<IconChevronDown size={14} />}>
                Export
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {choicesOf(FORMAT_WORDS).map(({ value: format, label }) => (
                <Menu.Item
                  key={format}
                  component="a"
                  href={exportUrl('exportTable', { params, query: { format, filter: search.filter } })}
                  download
                >
                  {label}
                  {conditions.length > 0 && ', with this filter'}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </>
      }
      filters={
        <>
          {conditions.map((condition, index) => (
            <Button
              key={`${condition.column} ${condition.operator}`}
              variant="light"
              rightSection={<IconX size={12} />}
              aria-label={`Remove the filter on ${condition.column}`}
              onClick={() => setConditions(conditions.toSpliced(index, 1))}
            >
              {condition.column}{' '}
              {operatorsFor(columns.find(({ name }) => name === condition.column)?.type ?? 'text').find(
                ({ value }) => value === condition.operator,
              )?.label ?? condition.operator}{' '}
              {condition.operator === 'is_null' ? '' : condition.text}
            </Button>
          ))}
          <ConditionForm columns={columns} onAdd={(condition) => setConditions([...conditions, condition])} />
        </>
      }
    >
      <Listed
        label="Rows"
        query={query}
        rowsOf={(page) => page.rows}
        rowId={(row) => JSON.stringify(info?.key.length ? info.key.map((name) => row[name]) : row)}
        columns={shown}
        empty={
          <Empty title={conditions.length > 0 ? 'No row is like this' : 'The table is empty'}>
            {conditions.length > 0 && (
              <Button variant="default" onClick={() => setConditions([])}>
                Clear the filters
              </Button>
            )}
          </Empty>
        }
      />
      <Confirm
        opened={isDropping}
        onClose={() => setDropping(false)}
        title={`Drop ${table}`}
        typed={table}
        action="Drop table"
        run={async () => {
          await call('dropTable', { params });
          await client.invalidateQueries({ queryKey: ['getDatabase'] });
          await navigate({ to: '/databases/$databaseId', params: { databaseId } });
        }}
      >
        The table and all its rows are gone for good.
      </Confirm>
    </Page>
  );
}
