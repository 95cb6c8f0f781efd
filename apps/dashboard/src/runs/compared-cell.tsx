import { cellText, memberOf } from '../format/shorten.ts';
import type { QuarantinedRow } from './compared-columns.ts';

/** One value of a row held back, with the value that it would replace. */
export function ComparedCell({ row: { data, current }, name }: { row: QuarantinedRow; name: string }) {
  const held = cellText(memberOf(data, name));
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
