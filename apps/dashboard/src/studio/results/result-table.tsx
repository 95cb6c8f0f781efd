import { isObject, longForm } from '@gleaner/contracts/values';
import { useMemo, type CSSProperties } from 'react';
import { cellText, formatNumber, plural } from '../../format/format.ts';
import type { PageResult } from '../extraction/protocol.ts';
import { isList, pathText, type Draft, type FieldPath } from '../schema/draft.ts';
import { isEmptyValue } from '../schema/fill.ts';
import styles from './results.module.css';

interface Row {
  key: string;
  pageId: string;
  label: string;
  values: Record<string, unknown>;
}

/** Rows of a list that are shown: a person looks at the first ones, and each keystroke draws them again. */
const MAX_ROWS = 200;

function rowsOf(results: readonly PageResult[], list: string): Row[] {
  return results.flatMap(({ pageId, data }, index) => {
    const inner = data?.[list];
    return (Array.isArray(inner) ? inner : []).map((values: unknown, row) => ({
      key: `${pageId}/${row}`,
      pageId,
      label: results.length > 1 ? `${index + 1}.${row + 1}` : `${row + 1}`,
      values: isObject(values) ? values : {},
    }));
  });
}

/** A value that opens what it is made of, or why there is none. */
function ValueButton({ value, onClick }: { value: unknown; onClick: () => void }) {
  const isEmpty = isEmptyValue(value);
  const isRows = Array.isArray(value) && typeof value[0] === 'object';
  const text = isRows ? plural(value.length, 'row') : cellText(value);
  return (
    <button
      type="button"
      className={isEmpty ? styles.empty : undefined}
      title={isEmpty ? 'Why is it empty?' : text}
      onClick={onClick}
    >
      {isEmpty ? '— why?' : text}
    </button>
  );
}

interface TableProps {
  label: string;
  /** Of the first column. */
  head: string;
  rows: readonly Row[];
  names: readonly string[];
  /** The list that the columns belong to. */
  prefix: FieldPath;
  /** The path of the selected field, as text. */
  selected: string;
  onSelect: (path: FieldPath, pageId: string) => void;
}

/** A line for each row, a column for each field. */
function Table({ label, head, rows, names, prefix, selected, onSelect }: TableProps) {
  return (
    <table aria-label={label} className={styles.table} style={{ '--columns': names.length } as CSSProperties}>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {names.map((name) => (
            <th scope="col" key={name} data-selected={pathText([...prefix, name]) === selected}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map((row) => (
          <tr key={row.key}>
            <th scope="row">{row.label}</th>
            {names.map((name) => (
              <td key={name}>
                <ValueButton
                  value={row.values[name]}
                  onClick={() => onSelect([...prefix, name], row.pageId)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ValuesProps extends Pick<TableProps, 'names' | 'selected' | 'onSelect'> {
  row: Row;
}

/** The single values of one page, one a line. */
function Values({ names, row, selected, onSelect }: ValuesProps) {
  return (
    <table aria-label="Single values" className={`${styles.table} ${styles.single}`}>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row" data-selected={name === selected}>
              {name}
            </th>
            <td>
              <ValueButton value={row.values[name]} onClick={() => onSelect([name], row.pageId)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ListBlockProps extends Pick<TableProps, 'selected' | 'onSelect'> {
  name: string;
  draft: Draft;
  results: readonly PageResult[];
}

function ListBlock({ name, draft, results, selected, onSelect }: ListBlockProps) {
  const rows = useMemo(() => rowsOf(results, name), [results, name]);
  const field = draft.fields[name];
  const names = Object.keys((field && longForm(field).fields) ?? {});
  const prefix = useMemo(() => [name], [name]);
  const [firstResult] = results;
  return (
    <section aria-label={name} className={styles.block}>
      <h3 className={styles.caption}>
        {name} <span className="soft">{plural(rows.length, 'row')}</span>
        {rows.length > MAX_ROWS && <span className="soft"> · the first {formatNumber(MAX_ROWS)}</span>}
      </h3>
      {rows.length === 0 && firstResult ? (
        <div className={styles.none}>
          <ValueButton value={undefined} onClick={() => onSelect(prefix, firstResult.pageId)} />
        </div>
      ) : (
        <Table label={name} head="" {...{ rows, names, prefix, selected, onSelect }} />
      )}
    </section>
  );
}

interface ResultTablesProps extends Pick<TableProps, 'onSelect'> {
  draft: Draft;
  results: readonly PageResult[];
  selected: FieldPath;
}

/** The single values first, then each list with a line for each of its rows. */
export function ResultTables({ draft, results, selected, onSelect }: ResultTablesProps) {
  const all = Object.entries(draft.fields);
  const singles = all.filter(([, field]) => !isList(longForm(field))).map(([name]) => name);
  const lists = all.filter(([, field]) => isList(longForm(field))).map(([name]) => name);
  const chosen = pathText(selected);
  const rows = results.map(({ pageId, data }, index) => ({
    key: pageId,
    pageId,
    label: `${index + 1}`,
    values: data ?? {},
  }));
  const [only] = rows;
  return (
    <>
      {singles.length > 0 && (
        <section aria-label="Single values" className={styles.block}>
          {rows.length === 1 && only ? (
            <Values names={singles} row={only} selected={chosen} onSelect={onSelect} />
          ) : (
            <Table
              label="Single values"
              head="page"
              names={singles}
              prefix={[]}
              selected={chosen}
              {...{ rows, onSelect }}
            />
          )}
        </section>
      )}
      {lists.map((name) => (
        <ListBlock key={name} name={name} selected={chosen} {...{ draft, results, onSelect }} />
      ))}
    </>
  );
}
