import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/format.ts';
import { TableLink } from '../targets/table-link.tsx';
import { When } from '../parts/when.tsx';

type Waiting = CallOutput<'getBatch'>['waiting'];

/** That rows wait for a database that can't be reached, which may be for as long as it is away. */
export function UnwrittenNotice({ batch: { counts, sink } }: { batch: CallOutput<'getBatch'> }) {
  const pages = counts.waiting_for_sink;
  if (pages === 0) return null;
  return (
    <div className="notice" role="status">
      <span>
        <strong>{plural(pages, 'page is', 'pages are')} read and not yet written:</strong> the database with{' '}
        <TableLink sink={sink} /> can’t be reached. Gleaner tries again by itself.
      </span>
    </div>
  );
}

/** Why pages of a run wait, and until when. */
export function WaitingNotice({ waiting }: { waiting: Waiting }) {
  if (waiting === null) return null;
  const { tasks, reason, until } = waiting;
  return (
    <div className="notice" role="status">
      <span>
        <strong>{plural(tasks, 'page waits', 'pages wait')}:</strong> {reason}. Next try{' '}
        <When at={until} isClock />.
      </span>
    </div>
  );
}
