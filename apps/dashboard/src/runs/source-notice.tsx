import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/format.ts';

type Sourced = Pick<CallOutput<'getBatch'>, 'source' | 'since'>;

/** What gives a run its pages: a sitemap or a feed, while it is read and after. */
export function SourceNotice({ source, since }: Sourced) {
  if (source === null || source.status === 'cancelled') return null;
  const { sitemap, feed, status, files, entries, left_out: leftOut, error } = source;
  return (
    <div className="notice" role="status">
      <span>
        {status === 'reading' && 'Reading '}
        {status === 'read' &&
          `${plural(entries ?? 0, 'entry', 'entries')} in ${plural(files ?? 0, 'file')} of `}
        {status === 'failed' && 'Nothing was fetched from '}
        {sitemap === undefined ? 'the feed' : 'the sitemap'} <code>{sitemap ?? feed}</code>
        {since === 'last_run' && ', of which only what is new counts'}
        {(leftOut ?? 0) > 0 && `; ${formatNumber(leftOut ?? 0)} are no addresses`}
        {error === null ? '.' : `: ${error}.`}
      </span>
    </div>
  );
}
