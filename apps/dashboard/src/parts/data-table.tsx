import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { IconArrowDown, IconArrowUp } from './icons.ts';

export interface Column<Row> {
  id: string;
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
  foot?: ReactNode;
}

const ROW_HEIGHT = 34;
/** As in app.css. */
const NARROW = '(max-width: 820px)';

/** The next page is requested when this many rows remain. */
const AHEAD = 20;

/** Whether a click hit a control within the row, or selected text. */
function isForRow(event: MouseEvent): boolean {
  const target = event.target as HTMLElement;
  return target.closest('a, button, input, label') === null && String(getSelection()) === '';
}

/**
 * A table of any length: only the rows in view are in the page, and further pages are read while it scrolls. `j` and
 * `k` or the arrows move between rows, Enter opens one.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowId, onOpen, hasMore = false, isReading = false, onMore, foot } = props;
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const columns = isNarrow ? props.columns.filter(({ isExtra }) => isExtra !== true) : props.columns;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
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

  const template = columns.map(({ width }) => width).join(' ');
  const style = { gridTemplateColumns: template };

  const focusRow = (index: number): void => {
    const bounded = Math.max(0, Math.min(rows.length - 1, index));
    virtual.scrollToIndex(bounded);
    requestAnimationFrame(() => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${bounded}"]`);
      (row?.querySelector<HTMLElement>('a, button') ?? row)?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const index = row === null ? -1 : Number(row.dataset['index']);
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      focusRow(index + step);
      return;
    }
    const opened = rows[index];
    if (event.key === 'Enter' && event.target === row && opened !== undefined) onOpen?.(opened);
  };

  return (
    // The table takes the keys of its rows; the rows are what has the focus.
    <div className="table-scroll" ref={scroller} onKeyDown={onKeyDown} tabIndex={-1}>
      <div
        className={`table${template.includes('fr') ? ' fit' : ''}${columns.length < props.columns.length ? ' lean' : ''}`}
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
      >
        <div role="rowgroup">
          <div role="row" className="tr head" style={style}>
            {columns.map((column) => (
              <div
                key={column.id}
                role="columnheader"
                className={column.align === 'right' ? 'td num' : 'td'}
                aria-sort={sortWord(column.sort?.state)}
              >
                {column.sort ? (
                  <button type="button" className="sort" onClick={column.sort.onToggle}>
                    {column.header} {column.sort.state === 'up' && <IconArrowUp size={12} />}
                    {column.sort.state === 'down' && <IconArrowDown size={12} />}
                  </button>
                ) : (
                  column.header
                )}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="table-rows" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                data-index={item.index}
                tabIndex={-1}
                className={onOpen ? 'tr open' : 'tr'}
                style={{ ...style, transform: `translateY(${item.start}px)` }}
                onClick={onOpen && ((event) => (isForRow(event) ? onOpen(row) : undefined))}
              >
                {columns.map((column) => (
                  <div key={column.id} role="cell" className={column.align === 'right' ? 'td num' : 'td'}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {foot !== undefined && <div className="table-foot">{foot}</div>}
    </div>
  );
}

function sortWord(state: 'up' | 'down' | undefined): 'ascending' | 'descending' | undefined {
  if (state === undefined) return undefined;
  return state === 'up' ? 'ascending' : 'descending';
}
