import { Link } from '@tanstack/react-router';
import { shortId } from '../format/format.ts';
import type { Target } from './target.ts';
import { parserName, useParsers } from './use-parsers.ts';

function ParserLink({ parserId, version }: { parserId: string; version: number | undefined }) {
  const parsers = useParsers();
  const name = parserName(parsers, parserId) ?? (parsers === undefined ? 'parser' : shortId(parserId));
  return (
    <>
      <Link to="/parsers/$parserId" params={{ parserId }}>
        {name}
      </Link>
      {version !== undefined && <span className="soft"> version {version}</span>}
    </>
  );
}

/** The name of a target, which leads to it. */
export function TargetLink({ target }: { target: Target }) {
  if (target.type === 'parser') return <ParserLink parserId={target.parserId} version={target.version} />;
  if (target.type === 'api')
    return (
      <Link to="/apis/$apiId" params={{ apiId: target.id }}>
        {target.id}
      </Link>
    );
  return (
    <Link to="/workflows/$workflowId" params={{ workflowId: target.workflowId }}>
      workflow
    </Link>
  );
}
