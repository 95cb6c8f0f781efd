import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { formatBytes } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { IconRefresh } from '../parts/icons.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';

type Batch = CallOutput<'getBatch'>;

/** The pages that a batch kept: each opens in the studio unchanged, and all can be parsed again free of charge. */
export function KeptPages({ batch }: { batch: Batch }) {
  const navigate = useNavigate();
  const { id, target } = batch;
  const query = useInfiniteQuery(listQuery('listPages', { query: { run: id } }));
  const reparse = useMutation({
    mutationFn: () => call('reparseBatch', { params: { id }, body: { pages: 'failed' } }),
    onSuccess: (made) => navigate({ to: '/runs/batches/$batchId', params: { batchId: made.id } }),
  });
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the kept pages" lines={3} />;
  const pages = query.data.pages.flatMap((page) => page.pages);
  if (pages.length === 0) return null;
  return (
    <section className="stack section" aria-label="Kept pages">
      <div className="row wrap">
        <h2 className="grow">Pages that were kept</h2>
        {target.type === 'parser' && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={reparse.isPending}
            onClick={() => reparse.mutate()}
          >
            Read the failed ones again, free
          </Button>
        )}
      </div>
      <p className="soft small">
        As they came, so nothing is fetched again. Mend the parser on them in the studio, then read them again
        with its current version.
      </p>
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
