import { Button, Menu, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { linkOptions, useNavigate, useSearch } from '@tanstack/react-router';
import { call, exportUrl, listQuery } from '../api/call.ts';
import type { Column } from '../parts/data-table.tsx';
import { DeleteButton } from '../parts/buttons.tsx';
import { useOpened } from '../parts/use-opened.ts';
import { DeleteRows } from './delete-rows.tsx';
import { DownloadLink } from '../parts/download-link.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { Form, textInput } from '../parts/forms.tsx';
import { IconChevronDown, IconX } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Empty } from '../parts/page.tsx';
import { fromOf, RecordDrawer } from '../parts/record-drawer.tsx';
import { ownValue } from '../runs/own-cell.tsx';
import type { readRowsSearch } from './search.ts';
import {
  conditionText,
  dataFirst,
  isOwnColumn,
  kindOf,
  nextOrder,
  readFilter,
  writeFilter,
  type ColumnType,
  type Condition,
  operatorsFor,
  typeOfColumn,
} from './filters.ts';
import { RowCell } from './row-cell.tsx';
import { rowName } from '../format/row-name.ts';
import { RowHistory } from '../changes/row-history.tsx';
import { TableFrame, useTable } from './table-frame.tsx';
import { useState } from 'react';

type Row = Record<string, unknown>;

function keyOf(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function columnOf({ name, type }: ColumnType, order: string | undefined, onOrder: () => void): Column<Row> {
  const isNumber = kindOf(type) === 'number';
  return {
    header: name,
    // On a phone a text and a number are beside each other.
    width: isNumber ? '110px' : isOwnColumn(name) ? '180px' : '200px',
    align: isNumber ? 'right' : undefined,
    cell: (row) => <RowCell name={name} value={row[name]} />,
    sort: {
      state: order === name ? 'up' : order === `-${name}` ? 'down' : undefined,
      onToggle: onOrder,
    },
  };
}

interface ConditionFormProps {
  columns: readonly ColumnType[];
  onAdd: (condition: Condition) => void;
}

/** Adds a condition on one column. */
function ConditionForm({ columns, onAdd }: ConditionFormProps) {
  const [column, setColumn] = useState<string | null>(null);
  const [operator, setOperator] = useState<string | null>(null);
  const [text, setText] = useState('');
  const type = typeOfColumn(columns, column);
  const operators = operatorsFor(type);
  const chosen = operators.find(({ value }) => value === operator) ?? operators[0];
  const needsValue = chosen?.value !== 'is_null';
  const isReady = column !== null && chosen !== undefined && (!needsValue || text !== '');
  return (
    <Form
      className="row wrap"
      onSubmit={() => {
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
            data={operators}
            value={chosen?.value ?? null}
            allowDeselect={false}
            w={110}
            onChange={setOperator}
          />
          {needsValue && kindOf(type) === 'boolean' && (
            <Select
              aria-label="Value"
              data={[
                { value: 'true', label: 'yes' },
                { value: 'false', label: 'no' },
              ]}
              value={text || null}
              w={90}
              onChange={(value) => setText(value ?? '')}
            />
          )}
          {needsValue && kindOf(type) !== 'boolean' && (
            <TextInput aria-label="Value" w={140} {...textInput(text, setText)} />
          )}
          <Button type="submit" variant="default" disabled={!isReady}>
            Add
          </Button>
        </>
      )}
    </Form>
  );
}

interface ConditionsProps {
  columns: readonly ColumnType[];
  conditions: readonly Condition[];
  onChange: (conditions: readonly Condition[]) => void;
}

function Conditions({ columns, conditions, onChange }: ConditionsProps) {
  return (
    <>
      {conditions.map((condition, index) => (
        <Button
          key={`${condition.column} ${condition.operator}`}
          variant="light"
          rightSection={<IconX size={12} />}
          aria-label={`Remove the filter on ${condition.column}`}
          onClick={() => onChange(conditions.toSpliced(index, 1))}
        >
          {conditionText(condition, columns)}
        </Button>
      ))}
      <ConditionForm columns={columns} onAdd={(condition) => onChange([...conditions, condition])} />
    </>
  );
}

interface ColumnChoiceProps {
  names: readonly string[];
  hidden: readonly string[];
  onChange: (hidden: string[]) => void;
}

/** Chooses the columns that are shown. */
function ColumnChoice({ names, hidden, onChange }: ColumnChoiceProps) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={14} />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        {names.map((name) => (
          <Menu.CheckboxItem
            key={name}
            checked={!hidden.includes(name)}
            onChange={(isShown) =>
              onChange(isShown ? hidden.filter((one) => one !== name) : [...hidden, name])
            }
          >
            {name}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface TableActionsProps {
  params: { id: string; table: string };
  filter: string | undefined;
  /** The columns that are shown, when some are hidden. */
  columns: string | undefined;
}

/** Saves the rows as a file, deletes those that the filter finds, or drops the table. */
function TableActions({ params, filter, columns }: TableActionsProps) {
  const note = filter === undefined ? undefined : 'with this filter';
  return (
    <>
      {filter !== undefined && <DeleteRows params={params} filter={filter} />}
      <DeleteButton
        isSmall
        label="Drop table"
        kind="table"
        name={params.table}
        run={() => call('dropTable', { params })}
        stale={['getDatabase']}
        next={linkOptions({ to: '/databases/$databaseId', params: { databaseId: params.id } })}
      >
        The table and its rows are deleted permanently.
      </DeleteButton>
      <DownloadLink
        make={(format) => call('createTableLink', { params, body: { format, filter, columns } })}
        note={note}
      />
      <ExportMenu
        urlOf={(format) =>
          exportUrl('/v1/databases/{id}/tables/{table}/export', {
            params,
            query: { format, filter, columns },
          })
        }
        note={note}
      />
    </>
  );
}

/** The columns of exports, when some are hidden. */
function shownColumns(columns: readonly ColumnType[], hidden: readonly string[]): string | undefined {
  if (!hidden.some((name) => columns.some((column) => column.name === name))) return undefined;
  const shown = columns.filter(({ name }) => !hidden.includes(name));
  return shown.length === 0 ? undefined : shown.map(({ name }) => name).join(',');
}

/** Rows of a table: typed filters, order by a column, as many as there are. */
export function RowsPage() {
  const { params, info } = useTable();
  const { order, filter, hidden = [] } = useSearch({ from: '/app/databases/$databaseId/$table' });
  const navigate = useNavigate({ from: '/databases/$databaseId/$table' });
  const columns = info?.columns ?? [];
  const key = info?.key ?? [];
  const query = useInfiniteQuery(listQuery('listRows', { params, query: { order_by: order, filter } }));
  const conditions = readFilter(filter);
  const nameOf = (row: Row): string => rowName(row, key);
  const { opened, open, close } = useOpened(query.data?.pages.flatMap(({ rows }) => rows) ?? [], nameOf);
  const show = (next: ReturnType<typeof readRowsSearch>): void =>
    void navigate({ search: (known) => ({ ...known, ...next }), replace: true });
  return (
    <TableFrame
      actions={
        info && <TableActions params={params} filter={filter} columns={shownColumns(columns, hidden)} />
      }
      filters={
        info && (
          <>
            <Conditions
              columns={columns}
              conditions={conditions}
              onChange={(next) => show({ filter: writeFilter(next, columns) })}
            />
            <span className="grow" />
            <ColumnChoice
              names={dataFirst(columns).map(({ name }) => name)}
              hidden={hidden}
              onChange={(next) => show({ hidden: next.length === 0 ? undefined : next })}
            />
          </>
        )
      }
    >
      <Listed
        label="Rows"
        query={query}
        rowsOf={(page) => page.rows}
        rowId={nameOf}
        onOpen={open}
        columns={dataFirst(columns)
          .filter(({ name }) => !hidden.includes(name))
          .map((column) => columnOf(column, order, () => show({ order: nextOrder(order, column.name) })))}
        empty={
          <Empty title={conditions.length > 0 ? 'No rows match' : 'The table is empty'}>
            {conditions.length > 0 && (
              <Button variant="default" onClick={() => show({ filter: undefined })}>
                Clear the filters
              </Button>
            )}
          </Empty>
        }
      />
      {opened && (
        <RecordDrawer data={opened} from={fromOf(opened)} cell={ownValue} onClose={close}>
          {info?.history && <RowHistory params={params} rowKey={keyOf(opened, key)} />}
        </RecordDrawer>
      )}
    </TableFrame>
  );
}
