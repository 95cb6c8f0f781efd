import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import styles from './data-table.module.css';
import { isForRow, isWithin } from './row-events.ts';
import { IconArrowDown, IconArrowUp } from './icons.ts';
import { useNarrow } from './use-narrow.ts';

export interface Column<Row> {
  header: string;
  /** A CSS grid width: `120px`, `minmax(160px, 1fr)`. */
  width: string;
  align?: 'right';
  /** Left out on narrow screens. */
  isExtra?: boolean;
  cell: (row: Row) => ReactNode;
  /** The sort order after a click on the header. */
  sort?: { state: 'up' | 'down' | undefined; onToggle: () => void };
}

export interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Opens a row: a click anywhere in it, or Enter. Its first cell should hold the link itself. */
  onOpen?: (row: Row) => void;
  hasMore?: boolean;
  isReading?: boolean;
  onMore?: () => void;
}

const ROW_HEIGHT = 34;
/** On narrow screens a name may take two lines. */
const LEAN_ROW_HEIGHT = 50;

/** The next page is requested when this many rows remain. */
const AHEAD = 20;

function classOf({ align }: { align?: 'right' }): string {
  return align === 'right' ? `${styles.td} num` : `${styles.td}`;
}

const SORT_WORDS = { up: 'ascending', down: 'descending' } as const;

function HeaderCell<Row>({ column }: { column: Column<Row> }) {
  const { header, sort } = column;
  return (
    <div role="columnheader" className={classOf(column)} aria-sort={sort?.state && SORT_WORDS[sort.state]}>
      {sort ? (
        <button type="button" className={styles.sort} onClick={sort.onToggle}>
          {header} {sort.state === 'up' && <IconArrowUp size={12} />}
          {sort.state === 'down' && <IconArrowDown size={12} />}
        </button>
      ) : (
        header
      )}
    </div>
  );
}

interface TableRowProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'onOpen'> {
  row: Row;
  index: number;
  place: CSSProperties;
}

function TableRow<Row>({ row, index, columns, place, onOpen }: TableRowProps<Row>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={-1}
      className={onOpen ? `${styles.tr} ${styles.open}` : styles.tr}
      style={place}
      onClick={onOpen && ((event) => (isForRow(event) ? onOpen(row) : undefined))}
    >
      {columns.map((column, at) => (
        <div key={at} role="cell" className={classOf(column)}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** The keys of a table: `j` and `k` or the arrows move between rows, Enter opens one. */
function rowKeys(focusRow: (index: number) => void, openRow: (index: number) => void) {
  return (event: KeyboardEvent): void => {
    if (!isWithin(event)) return;
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const index = row === null ? -1 : Number(row.dataset['index']);
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      focusRow(index + step);
    } else if (event.key === 'Enter' && event.target === row) openRow(index);
  };
}

/** A table of any length: only the rows in view are in the page, and further pages are read while it scrolls. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowId, onOpen, hasMore = false, isReading = false, onMore } = props;
  const isNarrow = useNarrow();
  const columns = isNarrow ? props.columns.filter(({ isExtra }) => isExtra !== true) : props.columns;
  const isLean = columns.length < props.columns.length;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isLean ? LEAN_ROW_HEIGHT : ROW_HEIGHT),
    overscan: 12,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowId(row);
    },
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !isReading && last >= rows.length - AHEAD) onMore?.();
  }, [hasMore, isReading, last, rows.length, onMore]);

  const gridTemplateColumns = columns.map(({ width }) => width).join(' ');
  const width = `${gridTemplateColumns.includes('fr') ? styles.fit : ''} ${isLean ? styles.lean : ''}`;

  const focusRow = (index: number): void => {
    const bounded = Math.max(0, Math.min(rows.length - 1, index));
    virtual.scrollToIndex(bounded);
    requestAnimationFrame(() => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${bounded}"]`);
      // Enter opens the row: by the link in its first cell, where it has one.
      (row?.querySelector<HTMLElement>(onOpen ? '[role=cell]:first-child a' : 'a, button') ?? row)?.focus();
    });
  };
  const openRow = (index: number): void => {
    const row = rows[index];
    if (row !== undefined) onOpen?.(row);
  };

  return (
    // The table takes the keys of its rows; the rows are what has the focus.
    <div className={styles.scroll} ref={scroller} onKeyDown={rowKeys(focusRow, openRow)} tabIndex={-1}>
      <div
        className={`${styles.table} ${width}`}
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
      >
        <div role="rowgroup">
          <div role="row" className={`${styles.tr} ${styles.head}`} style={{ gridTemplateColumns }}>
            {columns.map((column, place) => (
              <HeaderCell key={place} column={column} />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={styles.rows}
          data-table-rows
          style={{ height: virtual.getTotalSize() }}
        >
          {items.map(({ key, index, start }) => {
            const row = rows[index];
            const place = { gridTemplateColumns, transform: `translateY(${start}px)` };
            return row !== undefined && <TableRow key={key} {...{ row, index, columns, place, onOpen }} />;
          })}
        </div>
      </div>
    </div>
  );
}
