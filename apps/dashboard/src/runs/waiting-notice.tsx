import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/format.ts';
import { When } from '../parts/when.tsx';

type Waiting = CallOutput<'getBatch'>['waiting'];

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
