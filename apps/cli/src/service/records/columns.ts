import { isObject } from '@gleaner/contracts/values';
import type { Row } from '../../terminal/table.ts';

function valueAt(record: unknown, path: string): unknown {
  if (path.startsWith('#')) {
    const counted = valueAt(record, path.slice(1));
    return typeof counted === 'object' && counted !== null ? Object.keys(counted).length : undefined;
  }
  return path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value.map((one) => valueAt(one, name)).join(' → ');
    return isObject(value) ? value[name] : undefined;
  }, record);
}

/**
 * What a record shows: a word for each column. `total=counts.total` renames a member, `#fields` counts its parts, `url|input`
 * takes the first that there is, and a column with `?` is left out where there is none. `_` in a name is a blank.
 */
export function pick(record: object, columns: string): Row {
  return Object.fromEntries(
    columns.split(' ').flatMap((column) => {
      const [label = '', source = label] = column.replace('?', '').split('=');
      const found = source.split('|').map((path) => valueAt(record, path));
      const value = found.find((one) => one !== undefined && one !== null) ?? null;
      if (value === null && column.endsWith('?')) return [];
      const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;
      return [[label.replaceAll('_', ' '), shown]];
    }),
  );
}
