import type { QuarantineState } from '@gleaner/contracts/values';
import { Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery, operationQuery } from '../api/queries.ts';
import { formatNumber, plural } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { Confirm } from '../parts/confirm.tsx';
import { IconRefresh } from '../parts/icons.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { Status, When, type StatusName } from '../parts/values.tsx';
import { ComparedCell, comparedColumns } from './compared-cell.tsx';

type Batch = CallOutput<'getBatch'>;
type Row = CallOutput<'listQuarantinedRows'>['rows'][number];

const STATES = {
  suspect: { status: 'attention', word: 'suspect' },
  held: { status: 'attention', word: 'held back' },
  releasing: { status: 'running', word: 'being written' },
  released: { status: 'succeeded', word: 'written' },
  discarded: { status: 'cancelled', word: 'dropped' },
  reparsed: { status: 'succeeded', word: 'read again' },
} satisfies Record<QuarantineState, { status: StatusName; word: string }>;
const LIVE_MS = 1_500;

function isWaiting({ state }: Row): boolean {
  return state === 'held' || state === 'suspect';
}

/**
 * Rows that were not written because the parser seems broken, beside the rows that they would replace, and the possible
 * decisions.
 */
export function QuarantinedRows({ batch }: { batch: Batch }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [isDropping, setDropping] = useState(false);
  const params = { id: batch.id };
  const query = useInfiniteQuery({
    ...listQuery('listQuarantinedRows', { params, query: { with_current: true } }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.rows.some((row) => row.state === 'releasing')) === true
        ? LIVE_MS
        : false,
  });
  const end = useMutation({
    mutationFn: async (way: 'release' | 'discard'): Promise<void> => {
      const body = chosen.size === 0 ? {} : { seqs: [...chosen] };
      await (way === 'release'
        ? call('releaseQuarantinedRows', { params, body })
        : call('discardQuarantinedRows', { params, body }));
    },
    onSettled: async () => {
      setChosen(new Set());
      await client.invalidateQueries({ queryKey: ['listQuarantinedRows'] });
      await client.invalidateQueries({ queryKey: operationQuery('getBatch', { params }).queryKey });
    },
  });
  const reparse = useMutation({
    mutationFn: () => call('reparseBatch', { params, body: { pages: 'quarantined' } }),
    onSuccess: (made) => navigate({ to: '/runs/batches/$batchId', params: { batchId: made.id } }),
  });
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const releasing = rows.filter(({ state }) => state === 'releasing').length;
  useEffect(() => {
    // The batch counts rows until they are written.
    void client.invalidateQueries({
      queryKey: operationQuery('getBatch', { params: { id: batch.id } }).queryKey,
    });
  }, [client, batch.id, releasing]);
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the rows held back" />;
  if (rows.length === 0) return <p className="soft">No row is held back.</p>;
  const waiting = batch.counts.quarantined;
  const columns = comparedColumns(rows);
  const choose = (seq: number, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(seq);
    else next.delete(seq);
    setChosen(next);
  };
  const what = chosen.size === 0 ? `all ${formatNumber(waiting)}` : formatNumber(chosen.size);
  return (
    <section className="stack" aria-label="Rows held back">
      <p className="small soft">
        {waiting === 0
          ? 'No row waits any more.'
          : `The parser seems broken, so ${plural(waiting, 'row')} did not overwrite what the table has.`}
        {waiting > 0 && batch.target.type === 'parser' && (
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
      {waiting > 0 && (
        <div className="row wrap">
          <Button
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={reparse.isPending}
            onClick={() => reparse.mutate()}
          >
            Read their pages again, free
          </Button>
          <Button
            variant="default"
            loading={end.isPending && end.variables === 'release'}
            onClick={() => end.mutate('release')}
          >
            Write {what} as they are
          </Button>
          <Button variant="default" onClick={() => setDropping(true)}>
            Drop {what}
          </Button>
        </div>
      )}
      {end.error !== null && <Failure error={end.error} />}
      {reparse.error !== null && <Failure error={reparse.error} />}
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Rows held back, table">
        <table className="plain compared">
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">Chosen</span>
              </th>
              <th scope="col">Page</th>
              <th scope="col">State</th>
              {columns.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
              <th scope="col">Fetched</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.seq}>
                <td>
                  <Checkbox
                    aria-label={`Choose ${shortUrl(row.url)}`}
                    disabled={!isWaiting(row)}
                    checked={chosen.has(row.seq)}
                    onChange={(event) => choose(row.seq, event.currentTarget.checked)}
                  />
                </td>
                <td title={row.url}>{shortUrl(row.url)}</td>
                <td>
                  <Status {...STATES[row.state]} />
                  <div className="soft small truncate" title={row.reason}>
                    {row.reason}
                  </div>
                </td>
                {columns.map((name) => (
                  <td key={name}>
                    <ComparedCell row={row} name={name} />
                  </td>
                ))}
                <td>
                  <When at={row.fetched_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <MoreButton query={query} />
      <Confirm
        opened={isDropping}
        onClose={() => setDropping(false)}
        title={`Drop ${what}`}
        action="Drop rows"
        run={() => end.mutateAsync('discard')}
      >
        They are never written. The table keeps what it has.
      </Confirm>
    </section>
  );
}
