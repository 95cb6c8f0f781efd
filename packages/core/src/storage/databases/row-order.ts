import { AppError } from '@gleaner/contracts';
import { decodeCursor, encodeCursor } from '../../platform/lists/cursor.ts';
import { columnKind } from '../columns/column-kind.ts';
import type { SqlCondition } from './row-filter.ts';
import { quoteIdentifier } from './sql-text.ts';
import type { ColumnInfo, TableInfo } from './table-info.ts';

/** Texts are ordered by their first characters, which limits the size of cursors. */
const ORDERED_CHARACTERS = 256;

export interface RowOrder {
  /** For ORDER BY; the table's alias is t. */
  text: string;
  /** Expressions for the values of a row's cursor, as text. */
  cursorColumns: string[];
  after(cursor: string, firstParameter: number): SqlCondition;
  encode(values: readonly (string | null)[]): string;
}

function findColumn(table: TableInfo, orderBy: string): ColumnInfo {
  const name = orderBy.replace(/^-/, '');
  const column = table.columns.find((one) => one.name === name);
  const kind = column && columnKind(column.type);
  if (column && kind !== 'jsonb' && kind !== 'other') return column;
  throw new AppError('invalid_request', {
    field: 'order_by',
    detail: column
      ? `rows can't be ordered by a column of type ${column.type}`
      : `table ${table.name} has no column ${name}`,
  });
}

/**
 * The order of a table's rows and its cursors. The unique key orders equal rows, so that pages never repeat or miss an
 * unchanged row.
 * @throws AppError invalid_request with field order_by, or table when it has no key
 */
export function planOrder(table: TableInfo, orderBy = ''): RowOrder {
  if (table.key.length === 0) {
    throw new AppError('invalid_request', {
      field: 'table',
      detail: `table ${table.name} has no unique key over columns without nulls, so its rows have no stable order`,
    });
  }
  const typeOf = new Map(table.columns.map(({ name, type }) => [name, type]));
  // Qualified: a bare name in ORDER BY would mean the selected text form.
  const key = table.key.map((name) => `t.${quoteIdentifier(name)}`);
  const keyTypes = table.key.map((name) => typeOf.get(name) ?? 'text');
  const column = orderBy === '' ? undefined : findColumn(table, orderBy);
  const isText = column !== undefined && columnKind(column.type) === 'text';
  const quoted = column && `t.${quoteIdentifier(column.name)}`;
  const order = quoted === undefined ? undefined : isText ? `left(${quoted}, ${ORDERED_CHARACTERS})` : quoted;
  const isDescending = orderBy.startsWith('-');
  const length = key.length + (order === undefined ? 0 : 1);

  return {
    text: [
      ...(order === undefined ? [] : [`${order} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`]),
      ...key,
    ].join(', '),
    cursorColumns: [...(order === undefined ? [] : [order]), ...key],
    encode: (values) => encodeCursor([orderBy, ...values]),
    after: (cursor, firstParameter) => {
      const [usedOrder, ...values] = decodeCursor(cursor, length + 1);
      if (usedOrder !== orderBy)
        throw new AppError('invalid_request', { field: 'cursor', detail: 'belongs to another order_by' });
      const parameters: string[] = [];
      const add = (value: string | number | null | undefined, type: string): string => {
        parameters.push(String(value));
        return `$${firstParameter + parameters.length - 1}::text::${type}`;
      };
      const orderValue = order === undefined ? undefined : values.shift();
      const afterKey = `(${key.join(', ')}) > (${key.map((_, index) => add(values[index], keyTypes[index] ?? 'text')).join(', ')})`;
      if (order === undefined) return { text: afterKey, parameters };
      if (orderValue === null) return { text: `${order} IS NULL AND ${afterKey}`, parameters };
      const value = add(orderValue, isText ? 'text' : (column?.type ?? 'text'));
      const beyond = `${order} ${isDescending ? '<' : '>'} ${value}`;
      return { text: `(${beyond} OR (${order} = ${value} AND ${afterKey}) OR ${order} IS NULL)`, parameters };
    },
  };
}
