import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/number.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { adviceFor } from './causes.ts';
import { FailedPages, useReadUntilOpen } from './failed-pages.tsx';

type Batch = CallOutput<'getBatch'>;

const EXTRACTION_FAILED = 'extraction failed';

interface BatchFailuresProps {
  batch: Batch;
  /** The failed page that the address names. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
}

/** Why pages failed: grouped by cause with an example and what to do, then one by one. */
export function BatchFailures({ batch, open, onOpen }: BatchFailuresProps) {
  const { id, counts, target } = batch;
  const query = useInfiniteQuery({
    queryKey: ['getBatchFailures', id, counts.failed],
    queryFn: ({ pageParam, signal }) =>
      call('getBatchFailures', { params: { id }, query: { cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
  const failures = query.data?.pages.flatMap((page) => page.failures) ?? [];
  useReadUntilOpen(failures, open, query);
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the failures" />;
  const causes = query.data.pages[0]?.causes ?? [];
  if (failures.length === 0) return <p className="soft">Nothing has failed.</p>;
  return (
    <div className="stack">
      {causes.map(({ error, count, example }) => (
        <section key={`${error} ${example.url}`} className="notice bad">
          <div className="stack" style={{ gap: 4 }}>
            <strong>
              {error.charAt(0).toUpperCase() + error.slice(1)} · {plural(count, 'page')}
            </strong>
            <span>{adviceFor(error, example.detail)}</span>
            <span className="small soft" style={{ overflowWrap: 'anywhere' }}>
              For example {example.url}
              {example.detail !== undefined && `: ${example.detail}`}
            </span>
            {target.type === 'parser' && (
              <span className="row wrap">
                {error === EXTRACTION_FAILED ? (
                  <>
                    <Link
                      to="/runs/batches/$batchId"
                      params={{ batchId: id }}
                      search={{ tab: 'pages' }}
                      replace
                    >
                      Open a kept page in the studio
                    </Link>
                    <Link to="/parsers/$parserId/health" params={{ parserId: target.parserId }}>
                      Health of the parser
                    </Link>
                  </>
                ) : (
                  <>
                    <Link
                      to="/parsers/$parserId"
                      params={{ parserId: target.parserId }}
                      search={{ open: example.url }}
                    >
                      Open the example in the studio
                    </Link>
                    <span className="soft small">(fetches it once more)</span>
                  </>
                )}
              </span>
            )}
          </div>
        </section>
      ))}
      <FailedPages
        failures={failures}
        open={open}
        onOpen={onOpen}
        parserOf={() => (target.type === 'parser' ? target.parserId : undefined)}
      />
      <MoreButton query={query} label={`More of ${formatNumber(counts.failed)}`} />
    </div>
  );
}
