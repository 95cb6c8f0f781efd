import type { PauseReason } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/format.ts';
import { Notice } from '../parts/notice.tsx';
import { When } from '../parts/when.tsx';
import { TableLink } from '../targets/table-link.tsx';

type Batch = CallOutput<'getBatch'>;

/** What gives a run its pages: a sitemap or a feed, while it is read and after. */
export function SourceNotice({ source, since }: Pick<Batch, 'source' | 'since'>) {
  if (source === null || source.status === 'cancelled') return null;
  const { sitemap, feed, status, files, entries, left_out: leftOut, error } = source;
  return (
    <Notice>
      {status === 'reading' && 'Reading '}
      {status === 'read' &&
        `${plural(entries ?? 0, 'entry', 'entries')} in ${plural(files ?? 0, 'file')} of `}
      {status === 'failed' && 'Nothing was fetched from '}
      {sitemap === undefined ? 'the feed' : 'the sitemap'} <code>{sitemap ?? feed}</code>
      {since === 'last_run' && ', of which only what is new counts'}
      {(leftOut ?? 0) > 0 && `; ${formatNumber(leftOut ?? 0)} are no addresses`}
      {error === null ? '.' : `: ${error}.`}
    </Notice>
  );
}

const PAUSES = {
  'insufficient credits':
    'The account has too few credits. The run continues when it has enough, and ends without them after 24 hours.',
  'pending limit':
    'The account has reached its limit of unfinished tasks. The run continues as other tasks end.',
  'limits.credits': 'The run has spent what its workflow allows.',
} satisfies Record<PauseReason, string>;

/** Why a run is paused. */
export function PauseNotice({ paused }: Pick<CallOutput<'getWorkflowRun'>, 'paused'>) {
  return paused && <Notice>{PAUSES[paused.reason]}</Notice>;
}

/** That rows wait for a database that can't be reached, which may be for as long as it is away. */
export function UnwrittenNotice({ batch: { counts, sink } }: { batch: Batch }) {
  const pages = counts.waiting_for_sink;
  if (pages === 0) return null;
  return (
    <Notice>
      <strong>{plural(pages, 'page is', 'pages are')} read and not yet written:</strong> the database with{' '}
      <TableLink sink={sink} /> can’t be reached. Gleaner tries again by itself.
    </Notice>
  );
}

/** Why pages of a run wait, and until when. */
export function WaitingNotice({ waiting }: Pick<Batch, 'waiting'>) {
  if (waiting === null) return null;
  const { tasks, reason, until } = waiting;
  return (
    <Notice>
      <strong>{plural(tasks, 'page waits', 'pages wait')}:</strong> {reason}. Next try{' '}
      <When at={until} isClock />.
    </Notice>
  );
}
