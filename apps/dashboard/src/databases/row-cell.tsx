import { cellText } from '../format/format.ts';
import { ownCell } from '../runs/own-cell.tsx';

/** One value of a table's row. */
export function RowCell({ name, value }: { name: string; value: unknown }) {
  const text = cellText(value);
  if (text === '') return <span className="soft">–</span>;
  return ownCell(name, value) ?? <span title={text}>{text}</span>;
}
