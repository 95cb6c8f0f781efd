import { useInfiniteQuery } from '@tanstack/react-query';
import { call, type CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/number.ts';
import { cellText, shortUrl } from '../format/shorten.ts';
import { PlainTable } from '../parts/plain-table.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { isOver } from './use-batch.ts';

type Batch = CallOutput<'getBatch'>;
type Result = CallOutput<'getBatchResults'>['results'][number];

const MAX_COLUMNS = 12;
const LIVE_MS = 2_000;

function columnsOf(rows: readonly { data: unknown }[]): string[] {
  const names = new Set<string>();
  for (const { data } of rows.slice(0, 50)) {
    if (typeof data === 'object' && data !== null) for (const name of Object.keys(data)) names.add(name);
  }
  return [...names].slice(0, MAX_COLUMNS);
}

function member(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
}

/** The first results as a table; more of them on demand, all of them as an export. */
export function BatchResults({ batch }: { batch: Batch }) {
  const { id, counts } = batch;
  const query = useInfiniteQuery({
    queryKey: ['getBatchResults', id],
    queryFn: ({ pageParam, signal }) =>
      call('getBatchResults', { params: { id }, query: { cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    enabled: batch.mode === 'return',
    refetchInterval: ({ state }) => {
      const isComplete = (state.data?.pages[0]?.results.length ?? 0) >= Math.min(100, counts.succeeded);
      return isOver(batch) && isComplete ? false : LIVE_MS;
    },
  });
  if (batch.mode === 'database')
    return (
      <p className="soft">
        {counts.succeeded === 0 ? 'This batch writes its ' : `${plural(counts.succeeded, 'page')} became `}
        <TableLink sink={batch.sink} />.
      </p>
    );
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the results" />;
  const rows = query.data.pages.flatMap((page) => page.results);
  const columns = columnsOf(rows);
  if (rows.length === 0) {
    return (
      <p className="soft">{isOver(batch) ? 'No page gave a result.' : 'The first results appear here.'}</p>
    );
  }
  return (
    <div className="stack">
      <PlainTable
        label="Results"
        rows={rows}
        rowKey={(_row, index) => String(index)}
        columns={[
          { header: 'Page', className: 'soft', title: ({ url }) => url, cell: ({ url }) => shortUrl(url) },
          ...columns.map((name) => ({
            header: name,
            title: ({ data }: Result) => cellText(member(data, name)),
            cell: ({ data }: Result) => cellText(member(data, name)) || <span className="soft">–</span>,
          })),
        ]}
      />
      <MoreButton query={query} label={`More of ${formatNumber(counts.succeeded)}`} />
    </div>
  );
}
