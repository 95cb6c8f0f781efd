import { plural } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import type { Outcome } from './extraction/protocol.ts';

interface StudioFootProps {
  fieldCount: number;
  pageCount: number;
  outcome: Outcome | undefined;
  /** The first fault of the schema. */
  fault: Outcome['faults'][number] | undefined;
}

/** What the studio holds, how fast it read it, and the first fault of the schema. */
export function StudioFoot({ fieldCount, pageCount, outcome, fault }: StudioFootProps) {
  return (
    <footer className="studio-foot small soft">
      <span>
        {plural(fieldCount, 'field')} · {plural(pageCount, 'page')} kept in this browser
      </span>
      {outcome !== undefined && <span>read in {formatDuration(Math.max(1, outcome.ms))}</span>}
      {fault !== undefined && (
        <span className="bad-text truncate">
          {fault.path}: {fault.reason}
        </span>
      )}
    </footer>
  );
}
