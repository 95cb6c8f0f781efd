import { PAGE_PARSER } from '@gleaner/contracts/values';
import { Link } from '@tanstack/react-router';
import { NameOf } from './target-name.tsx';
import type { Target } from './target.ts';

/** The name of a target, which leads to it. */
export function TargetLink({ target }: { target: Target }) {
  if (target.type === 'parser' && target.parserId === PAGE_PARSER) return <NameOf id={PAGE_PARSER} />;
  if (target.type === 'parser')
    return (
      <>
        <Link to="/parsers/$parserId" params={{ parserId: target.parserId }}>
          <NameOf id={target.parserId} />
        </Link>
        {typeof target.version === 'number' && <span className="soft"> version {target.version}</span>}
      </>
    );
  if (target.type === 'api')
    return (
      <Link to="/apis/$apiId" params={{ apiId: target.id }}>
        {target.id}
      </Link>
    );
  return (
    <Link to="/workflows/$workflowId" params={{ workflowId: target.workflowId }}>
      <NameOf id={target.workflowId} />
    </Link>
  );
}
