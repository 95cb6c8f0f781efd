import { useMemo, type CSSProperties } from 'react';
import { cellText } from '../../format/format.ts';
import type { KeptPage, PageResult } from '../extraction/protocol.ts';
import { asObject, isList, type Draft, type FieldPath } from '../schema/draft.ts';
import { isEmptyValue } from '../schema/fill.ts';
import styles from './results.module.css';

interface ResultTableProps {
  draft: Draft;
  pages: readonly KeptPage[];
  results: readonly PageResult[];
  selected: FieldPath;
  onSelect: (path: FieldPath, pageId: string) => void;
}

interface Row {
  key: string;
  pageId: string;
  label: string;
  values: Record<string, unknown>;
}

const MAX_ROWS = 500;

/** The list that the table shows: the selected list, or the only one. */
function listShown(draft: Draft, selected: FieldPath): string | undefined {
  const lists = Object.entries(draft.fields).filter(([, field]) => isList(asObject(field)));
  const [top] = selected;
  if (top !== undefined) return lists.some(([name]) => name === top) ? top : undefined;
  return lists[0]?.[0];
}

function rowsOf(results: readonly PageResult[], list: string | undefined): Row[] {
  return results.flatMap((result, index) => {
    const base = { pageId: result.pageId, label: `${index + 1}` };
    const data = result.data ?? {};
    const inner = list === undefined ? undefined : data[list];
    if (!Array.isArray(inner)) return [{ ...base, key: result.pageId, values: data }];
    return inner.slice(0, MAX_ROWS).map((values: unknown, row) => ({
      ...base,
      key: `${result.pageId}/${row}`,
      label: results.length > 1 ? `${index + 1}.${row + 1}` : `${row + 1}`,
      values: typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {},
    }));
  });
}

/** One line a page, or a line for each row of a list. A cell opens what it is made of. */
export function ResultTable({ draft, pages, results, selected, onSelect }: ResultTableProps) {
  const list = listShown(draft, selected);
  const rows = useMemo(() => rowsOf(results, list), [results, list]);
  const listField = list === undefined ? undefined : draft.fields[list];
  const fields = listField === undefined ? draft.fields : (asObject(listField).fields ?? {});
  const names = Object.keys(fields);
  const prefix = list === undefined ? [] : [list];
  const urlOf = (pageId: string): string => pages.find(({ id }) => id === pageId)?.url ?? '';
  return (
    <table className={styles.table} style={{ '--columns': names.length } as CSSProperties}>
      <thead>
        <tr>
          <th scope="col">{list ?? 'page'}</th>
          {names.map((name) => (
            <th scope="col" key={name} data-selected={[...prefix, name].join('.') === selected.join('.')}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" title={urlOf(row.pageId)}>
              {row.label}
            </th>
            {names.map((name) => {
              const value = row.values[name];
              const isEmpty = isEmptyValue(value);
              const text =
                Array.isArray(value) && value.length > 0 && typeof value[0] === 'object'
                  ? `${value.length} rows`
                  : cellText(value);
              return (
                <td key={name}>
                  <button
                    type="button"
                    className={isEmpty ? styles.empty : undefined}
                    title={isEmpty ? 'Why is it empty?' : text}
                    onClick={() => onSelect([...prefix, name], row.pageId)}
                  >
                    {isEmpty ? '— why?' : text}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
