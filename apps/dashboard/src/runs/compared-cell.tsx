import type { CallOutput } from '../api/call.ts';
import { cellText } from '../format/shorten.ts';

type Row = CallOutput<'listQuarantinedRows'>['rows'][number];

const MAX_COLUMNS = 12;

function member(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
}

/** The fields of held rows and of the rows that they would replace; lost values come first, then changed ones. */
export function comparedColumns(rows: readonly Row[]): string[] {
  const differing = new Map<string, number>();
  for (const { data, current } of rows) {
    if (typeof data !== 'object' || data === null) continue;
    for (const name of Object.keys(data)) {
      const held = cellText(member(data, name));
      const isChanged = current != null && held !== cellText(current.data[name]);
      differing.set(name, (differing.get(name) ?? 0) + (isChanged ? (held === '' ? 2 : 1) : 0));
    }
  }
  return [...differing]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .slice(0, MAX_COLUMNS);
}

/** One value of a held row, with the value that it would replace. */
export function ComparedCell({ row: { data, current }, name }: { row: Row; name: string }) {
  const held = cellText(member(data, name));
  const heldText = held === '' ? <span className="bad-text">nothing</span> : held;
  if (current == null) return <span title={held}>{heldText}</span>;
  const kept = cellText(current.data[name]);
  if (kept === held) return <span className="soft">{held === '' ? '–' : held}</span>;
  return (
    <>
      <div className="truncate" title={kept}>
        <span className="visually-hidden">The table has </span>
        {kept === '' ? '–' : kept}
      </div>
      <div className="truncate small soft" title={held}>
        would become {heldText}
      </div>
    </>
  );
}
