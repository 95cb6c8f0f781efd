import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { shortId } from '../format/shorten.ts';
import { operationQuery } from '../api/queries.ts';
import type { Target } from './target.ts';

/** The name of a target, which leads to it. */
export function TargetLink({ target }: { target: Target }) {
  const parsers = useQuery({
    ...operationQuery('listParsers', { query: { limit: 100 } }),
    staleTime: 60_000,
    enabled: target.type === 'parser',
  });
  if (target.type === 'api')
    return (
      <Link to="/apis/$apiId" params={{ apiId: target.id }}>
        {target.id}
      </Link>
    );
  if (target.type === 'workflow')
    return (
      <Link to="/workflows/$workflowId" params={{ workflowId: target.workflowId }}>
        workflow
      </Link>
    );
  const { parserId, version } = target;
  return (
    <>
      <Link to="/parsers/$parserId" params={{ parserId }}>
        {parsers.data?.parsers.find(({ id }) => id === parserId)?.name ??
          (parsers.isPending ? 'parser' : shortId(parserId))}
      </Link>
      {version !== undefined && <span className="soft"> version {version}</span>}
    </>
  );
}
