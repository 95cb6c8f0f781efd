import { useInfiniteQuery } from '@tanstack/react-query';
import type { CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { formatNumber, plural } from '../format/number.ts';
import { cellText, memberOf, shortUrl } from '../format/shorten.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { ReadPages } from '../parts/listed.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { resultColumns } from './compared-columns.ts';
import { isLive } from './run-state.ts';

type Batch = CallOutput<'getBatch'>;
type Result = CallOutput<'getBatchResults'>['results'][number];

const LIVE_MS = 2_000;

function columnOf(name: string): PlainColumn<Result> {
  return {
    header: name,
    title: ({ data }) => cellText(memberOf(data, name)),
    cell: ({ data }) => cellText(memberOf(data, name)) || <span className="soft">–</span>,
  };
}

const PAGE: PlainColumn<Result> = {
  header: 'Page',
  className: 'soft',
  title: ({ url }) => url,
  cell: ({ url }) => shortUrl(url),
};

/** The first results as a table; more of them on demand, all of them as an export. */
export function BatchResults({ batch }: { batch: Batch }) {
  const { id, counts } = batch;
  const query = useInfiniteQuery({
    ...listQuery('getBatchResults', { params: { id } }),
    enabled: batch.mode === 'return',
    refetchInterval: ({ state }) => {
      const isComplete = (state.data?.pages[0]?.results.length ?? 0) >= Math.min(100, counts.succeeded);
      return !isLive(batch) && isComplete ? false : LIVE_MS;
    },
  });
  if (batch.mode === 'database')
    return (
      <p className="soft">
        {counts.succeeded === 0 ? 'This batch writes ' : `${plural(counts.succeeded, 'page')} became `}
        <TableLink sink={batch.sink} />.
      </p>
    );
  return (
    <ReadPages
      query={query}
      what="the results"
      rowsOf={(page) => page.results}
      empty={isLive(batch) ? 'The first results appear here.' : 'No page gave a result.'}
      more={`Show more of ${formatNumber(counts.succeeded)}`}
    >
      {(rows) => (
        <PlainTable
          label="Results"
          rows={rows}
          rowKey={(_row, index) => index}
          columns={[PAGE, ...resultColumns(rows).map(columnOf)]}
        />
      )}
    </ReadPages>
  );
}
