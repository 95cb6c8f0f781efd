import { Fragment, type ReactNode } from 'react';

export interface PlainColumn<Row> {
  header: string;
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
  rowKey: (row: Row, index: number) => string;
  /** The opened row, with what is shown below it. */
  opened?: { key: string | undefined; show: (row: Row) => ReactNode };
}

function classOf<Row>({ align, className }: PlainColumn<Row>, row: Row): string | undefined {
  const own = typeof className === 'function' ? className(row) : className;
  return [align === 'right' ? 'num' : '', own ?? ''].filter((name) => name !== '').join(' ') || undefined;
}

/** A short table within a page, with all its rows; it scrolls sideways where it is too wide. */
export function PlainTable<Row>({ label, columns, rows, rowKey, opened }: PlainTableProps<Row>) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table className="plain">
        <thead>
          <tr>
            {columns.map(({ header, align }, place) => (
              <th scope="col" key={place} className={align === 'right' ? 'num' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const key = rowKey(row, index);
            return (
              <Fragment key={key}>
                <tr>
                  {columns.map((column, place) => (
                    <td key={place} className={classOf(column, row)} title={column.title?.(row)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {opened?.key === key && (
                  <tr>
                    <td colSpan={columns.length} className="opened-cell">
                      {opened.show(row)}
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
