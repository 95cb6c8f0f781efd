import type { ReparsedPages } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { listQuery } from '../api/queries.ts';
import { formatBytes } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { IconRefresh } from '../parts/icons.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';

type Batch = CallOutput<'getBatch'>;

/** Makes a kept page a sample of its parser, which lives on after the page has expired. */
function KeepAsSample({ parserId, page }: { parserId: string; page: string }) {
  const client = useQueryClient();
  const keep = useMutation({
    mutationFn: () => call('createParserSample', { params: { id: parserId }, body: { page } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['listParserSamples'] }),
  });
  if (keep.data !== undefined) {
    return (
      <Link to="/parsers/$parserId/samples" params={{ parserId }} search={{ sample: keep.data.id }}>
        Pin its values
      </Link>
    );
  }
  return (
    <>
      <Button variant="subtle" size="compact-xs" loading={keep.isPending} onClick={() => keep.mutate()}>
        Keep as a sample
      </Button>
      {keep.error !== null && <span className="bad-text small"> {toProblem(keep.error).message}</span>}
    </>
  );
}

/** The pages that a batch kept: each opens in the studio unchanged, and they can be parsed again free of charge. */
export function KeptPages({ batch }: { batch: Batch }) {
  const navigate = useNavigate();
  const { id, target } = batch;
  const query = useInfiniteQuery(listQuery('listPages', { query: { run: id } }));
  const reparse = useMutation({
    mutationFn: (pages: ReparsedPages) => call('reparseBatch', { params: { id }, body: { pages } }),
    onSuccess: (made) => navigate({ to: '/runs/batches/$batchId', params: { batchId: made.id } }),
  });
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the kept pages" lines={3} />;
  const pages = query.data.pages.flatMap((page) => page.pages);
  if (pages.length === 0) {
    return (
      <p className="soft">
        No page was kept. A run keeps pages on which its parser fails, or more of them as its{' '}
        <code>keep_pages</code> says, for 7 days.
      </p>
    );
  }
  return (
    <section className="stack" aria-label="Kept pages">
      <p className="soft small">
        As they came, so nothing is fetched again. Mend the parser on them in the studio, then read them again
        with its current version.
      </p>
      {target.type === 'parser' && (
        <div className="row wrap">
          <Button
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={reparse.isPending && reparse.variables === 'failed'}
            onClick={() => reparse.mutate('failed')}
          >
            Read the failed ones again, free
          </Button>
          <Button
            variant="default"
            loading={reparse.isPending && reparse.variables === 'all'}
            onClick={() => reparse.mutate('all')}
          >
            Read all again, free
          </Button>
        </div>
      )}
      {reparse.error !== null && <Failure error={reparse.error} />}
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Kept pages, table">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Why it failed</th>
              <th scope="col">Fetched</th>
              <th scope="col" className="num">
                Size
              </th>
              <th scope="col">Kept until</th>
              {target.type === 'parser' && (
                <th scope="col">
                  <span className="visually-hidden">Sample</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {pages.map((page) => (
              <tr key={page.id}>
                <td title={page.url}>
                  {target.type === 'parser' ? (
                    <Link
                      to="/parsers/$parserId"
                      params={{ parserId: target.parserId }}
                      search={{ kept: page.id }}
                      title="Open in the studio"
                    >
                      {shortUrl(page.url)}
                    </Link>
                  ) : (
                    shortUrl(page.url)
                  )}
                </td>
                <td className={page.error === null ? 'soft' : 'bad-text'} title={page.error ?? undefined}>
                  {page.error ?? 'it gave data'}
                </td>
                <td>
                  <When at={page.fetched_at} />
                </td>
                <td className="num">{formatBytes(page.size_bytes)}</td>
                <td>
                  <When at={page.expires_at} />
                </td>
                {target.type === 'parser' && (
                  <td>
                    <KeepAsSample parserId={target.parserId} page={page.id} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <MoreButton query={query} />
    </section>
  );
}
