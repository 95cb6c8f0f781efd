import { isObject, longForm } from '@gleaner/contracts/values';
import { useMemo, type CSSProperties } from 'react';
import { cellText, formatNumber, plural, shortUrl } from '../../format/format.ts';
import type { PageResult } from '../extraction/protocol.ts';
import { isList, pathText, type FieldPath } from '../schema/draft.ts';
import { isEmptyValue } from '../schema/fill.ts';
import type { StudioState } from '../use-studio-state.ts';
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

interface ValueButtonProps {
  studio: StudioState;
  path: FieldPath;
  pageId: string;
  value: unknown;
}

/** A value that opens what it is made of, or why there is none. */
function ValueButton({ studio: { pages, select, pictures }, path, pageId, value }: ValueButtonProps) {
  const isEmpty = isEmptyValue(value);
  const isRows = Array.isArray(value) && typeof value[0] === 'object';
  const text = isRows ? plural(value.length, 'row') : cellText(value);
  const picture = typeof value === 'string' ? pictures.get(value) : undefined;
  const isAddress = typeof value === 'string' && /^https?:\/\/\S+$/.test(value);
  return (
    <button
      type="button"
      className={isEmpty ? styles.empty : undefined}
      title={isEmpty ? 'Why is it empty?' : text}
      onClick={() => {
        pages.select(pageId);
        select(path);
      }}
    >
      {picture !== undefined ? (
        <img src={picture} alt={text} className={styles.picture} />
      ) : isEmpty ? (
        '— why?'
      ) : isAddress ? (
        shortUrl(text)
      ) : (
        text
      )}
    </button>
  );
}

function showHead(head: HTMLElement | null): void {
  head?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

interface HeadProps {
  scope: 'col' | 'row';
  name: string;
  isSelected: boolean;
}

/** The name of a field; it comes into view when the field is chosen. */
function Head({ scope, name, isSelected }: HeadProps) {
  return (
    <th scope={scope} data-selected={isSelected} ref={isSelected ? showHead : undefined}>
      {name}
    </th>
  );
}

interface TableProps {
  studio: StudioState;
  label: string;
  /** The header of the first column. */
  head: string;
  rows: readonly Row[];
  names: readonly string[];
  /** The list that the columns belong to. */
  prefix: FieldPath;
}

/** A line for each row, a column for each field. */
function Table({ studio, label, head, rows, names, prefix }: TableProps) {
  const selected = pathText(studio.selected);
  return (
    <table aria-label={label} className={styles.table} style={{ '--columns': names.length } as CSSProperties}>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {names.map((name) => (
            <Head key={name} scope="col" name={name} isSelected={pathText([...prefix, name]) === selected} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map(({ key, label: row, pageId, values }) => (
          <tr key={key}>
            <th scope="row">{row}</th>
            {names.map((name) => (
              <td key={name}>
                <ValueButton {...{ studio, pageId }} path={[...prefix, name]} value={values[name]} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The single values of one page, one a line. */
function Values({ studio, names, row }: Pick<TableProps, 'studio' | 'names'> & { row: Row }) {
  const selected = pathText(studio.selected);
  return (
    <table aria-label="Single values" className={`${styles.table} ${styles.single}`}>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <Head scope="row" name={name} isSelected={name === selected} />
            <td>
              <ValueButton studio={studio} path={[name]} pageId={row.pageId} value={row.values[name]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ListBlockProps {
  studio: StudioState;
  name: string;
  results: readonly PageResult[];
}

function ListBlock({ studio, name, results }: ListBlockProps) {
  const rows = useMemo(() => rowsOf(results, name), [results, name]);
  const field = studio.draft.fields[name];
  const names = Object.keys((field && longForm(field).fields) ?? {});
  const [firstResult] = results;
  return (
    <section aria-label={name} className={styles.block}>
      <h3 className={styles.caption}>
        {name} <span className="soft">{plural(rows.length, 'row')}</span>
        {rows.length > MAX_ROWS && <span className="soft"> · the first {formatNumber(MAX_ROWS)}</span>}
      </h3>
      {rows.length === 0 && firstResult ? (
        <div className={styles.none}>
          <ValueButton studio={studio} path={[name]} pageId={firstResult.pageId} value={undefined} />
        </div>
      ) : (
        <Table label={name} head="" {...{ studio, rows, names }} prefix={[name]} />
      )}
    </section>
  );
}

/** The single values first, then each list with a line for each of its rows. */
export function ResultTables({ studio, results }: Omit<ListBlockProps, 'name'>) {
  const { true: lists = [], false: singles = [] } = Object.groupBy(
    Object.entries(studio.draft.fields),
    ([, field]) => `${isList(longForm(field))}`,
  );
  const names = singles.map(([name]) => name);
  const rows = results.map(({ pageId, data }, index) => ({
    key: pageId,
    pageId,
    label: `${index + 1}`,
    values: data ?? {},
  }));
  const [only] = rows;
  return (
    <>
      {names.length > 0 && (
        <section aria-label="Single values" className={styles.block}>
          {rows.length === 1 && only ? (
            <Values studio={studio} names={names} row={only} />
          ) : (
            <Table label="Single values" head="page" {...{ studio, rows, names }} prefix={[]} />
          )}
        </section>
      )}
      {lists.map(([name]) => (
        <ListBlock key={name} {...{ studio, name, results }} />
      ))}
    </>
  );
}
