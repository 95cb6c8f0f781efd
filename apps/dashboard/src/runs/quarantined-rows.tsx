import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { plural } from '../format/number.ts';
import { cellText, shortUrl } from '../format/shorten.ts';
import { Failure } from '../parts/states.tsx';
import { Status, When, type StatusName } from '../parts/values.tsx';

type Batch = CallOutput<'getBatch'>;
type Row = CallOutput<'listQuarantinedRows'>['rows'][number];

const STATES: Record<Row['state'], { status: StatusName; word: string }> = {
  suspect: { status: 'attention', word: 'suspect' },
  held: { status: 'attention', word: 'held back' },
  releasing: { status: 'running', word: 'being written' },
  released: { status: 'succeeded', word: 'written' },
  discarded: { status: 'cancelled', word: 'dropped' },
  reparsed: { status: 'succeeded', word: 'read again' },
};

/**
 * Rows that were not written because the parser seems broken, with the two possible decisions. Renders nothing without
 * such rows.
 */
export function QuarantinedRows({ batch }: { batch: Batch }) {
  const client = useQueryClient();
  const params = { id: batch.id };
  const query = useInfiniteQuery(listQuery('listQuarantinedRows', { params, query: {} }));
  const end = useMutation({
    mutationFn: async (way: 'release' | 'discard'): Promise<void> => {
      await (way === 'release'
        ? call('releaseQuarantinedRows', { params, body: {} })
        : call('discardQuarantinedRows', { params, body: {} }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['listQuarantinedRows'] }),
  });
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  if (rows.length === 0) return null;
  const waiting = rows.filter(({ state }) => state === 'held' || state === 'suspect');
  return (
    <section className="stack section" aria-label="Rows held back">
      <div className="row wrap">
        <h2 className="grow">Rows held back</h2>
        <Button
          variant="default"
          disabled={waiting.length === 0}
          loading={end.isPending && end.variables === 'discard'}
          onClick={() => end.mutate('discard')}
        >
          Drop them
        </Button>
        <Button
          variant="default"
          disabled={waiting.length === 0}
          loading={end.isPending && end.variables === 'release'}
          onClick={() => end.mutate('release')}
        >
          Write them as they are
        </Button>
      </div>
      <p className="soft small">
        The parser seems broken, so {plural(waiting.length, 'row')} did not overwrite what the table has.
        {batch.target.type === 'parser' && (
          <>
            {' '}
            Better than writing them:{' '}
            <Link to="/parsers/$parserId/health" params={{ parserId: batch.target.parserId }}>
              look at its health
            </Link>
            , repair it, and read the kept pages again.
          </>
        )}
      </p>
      {end.error !== null && <Failure error={end.error} />}
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Rows held back, table">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">State</th>
              <th scope="col">Why</th>
              <th scope="col">Row</th>
              <th scope="col">Fetched</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.seq}>
                <td title={row.url}>{shortUrl(row.url)}</td>
                <td>
                  <Status {...STATES[row.state]} />
                </td>
                <td className="soft" title={row.reason}>
                  {row.reason}
                </td>
                <td title={JSON.stringify(row.data)}>
                  <code>{cellText(row.data)}</code>
                </td>
                <td>
                  <When at={row.fetched_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {query.hasNextPage && (
        <div>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            More
          </Button>
        </div>
      )}
    </section>
  );
}
