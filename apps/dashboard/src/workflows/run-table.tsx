import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';

const LIVE_MS = 5_000;

/** The last runs of a workflow. */
export function RunTable({ workflowId }: { workflowId: string }) {
  const query = useInfiniteQuery({
    ...listQuery('listRunsOfWorkflow', { params: { id: workflowId }, query: {} }),
    refetchInterval: LIVE_MS,
  });
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the runs" />;
  const runs = query.data.pages.flatMap((page) => page.workflow_runs);
  if (runs.length === 0) return <p className="soft">It has not run yet.</p>;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Runs of the workflow">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Run</th>
            <th scope="col" className="num">
              Succeeded
            </th>
            <th scope="col" className="num">
              Failed
            </th>
            <th scope="col" className="num">
              Credits
            </th>
            <th scope="col" className="num">
              Version
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <Status status={run.status} {...(run.paused ? { word: 'paused' } : {})} />
              </td>
              <td>
                <Link to="/workflow-runs/$runId" params={{ runId: run.id }}>
                  <When at={run.created_at} />
                </Link>
              </td>
              <td className="num">
                {formatNumber(run.counts.succeeded)} / {formatNumber(run.counts.total)}
              </td>
              <td className={run.counts.failed > 0 ? 'num bad-text' : 'num soft'}>
                {formatNumber(run.counts.failed)}
              </td>
              <td className="num">{formatNumber(run.credits.used)}</td>
              <td className="num soft">{run.workflow_version}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
