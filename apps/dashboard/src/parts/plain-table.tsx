import { Fragment, type ReactNode } from 'react';
import styles from './plain-table.module.css';
import { isForRow } from './row-events.ts';

export interface PlainColumn<Row> {
  header: string;
  /** The header is for screen readers alone. */
  isHeaderHidden?: boolean;
  align?: 'right';
  className?: string | ((row: Row) => string | undefined);
  /** The whole text of a cell that may be cut off. */
  title?: (row: Row) => string | undefined;
  cell: (row: Row) => ReactNode;
}

export interface PlainTableProps<Row> {
  label: string;
  columns: readonly PlainColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string | number;
  /** Marks the row that is shown below the table. */
  isCurrent?: (row: Row) => boolean;
  /** The opened row, with what is shown below it. */
  opened?: { key: string | undefined; show: (row: Row) => ReactNode };
  /** Opens a row: a click anywhere in it, or the button that its first cell is. */
  onOpen?: (row: Row) => void;
  /** As wide as its values need, not as wide as the page. */
  isNarrow?: boolean;
}

function classOf<Row>({ align, className }: PlainColumn<Row>, row: Row): string | undefined {
  const own = typeof className === 'function' ? className(row) : className;
  return [align === 'right' ? 'num' : '', own ?? ''].filter((name) => name !== '').join(' ') || undefined;
}

/** A short table within a page, with all its rows; it scrolls sideways where it is too wide. */
export function PlainTable<Row>(props: PlainTableProps<Row>) {
  const { label, columns, rows, rowKey, isCurrent, opened, onOpen, isNarrow = false } = props;
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={`${styles.table}${isNarrow ? ` ${styles.narrow}` : ''}`}>
        <thead>
          <tr>
            {columns.map(({ header, isHeaderHidden, align }, place) => (
              <th scope="col" key={place} className={align === 'right' ? 'num' : undefined}>
                {isHeaderHidden ? <span className="visually-hidden">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const key = rowKey(row, index);
            return (
              <Fragment key={key}>
                <tr
                  aria-current={isCurrent?.(row)}
                  className={onOpen && styles.open}
                  onClick={onOpen && ((event) => (isForRow(event) ? onOpen(row) : undefined))}
                >
                  {columns.map((column, place) => (
                    <td key={place} className={classOf(column, row)} title={column.title?.(row)}>
                      {onOpen !== undefined && place === 0 ? (
                        <button type="button" className="link" onClick={() => onOpen(row)}>
                          {column.cell(row)}
                        </button>
                      ) : (
                        column.cell(row)
                      )}
                    </td>
                  ))}
                </tr>
                {opened?.key === key && (
                  <tr>
                    <td colSpan={columns.length}>
                      <div className={styles.below}>{opened.show(row)}</div>
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
