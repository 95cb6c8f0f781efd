import { cellText } from '../format/format.ts';
import { When } from '../parts/when.tsx';
import { NamedRun } from '../runs/run-link.tsx';

/** One value of a table's row. */
export function RowCell({ name, value }: { name: string; value: unknown }) {
  const text = cellText(value);
  if (text === '') return <span className="soft">–</span>;
  if (name === '_run_id') return <NamedRun id={text} />;
  return name === '_fetched_at' ? <When at={text} /> : <span title={text}>{text}</span>;
}
