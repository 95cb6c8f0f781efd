import { PAGE_PARSER } from '@gleaner/contracts/values';
import { useNamed } from '../api/names.ts';
import { shortId } from '../format/format.ts';
import type { Target } from './target.ts';

/** What a parser, a workflow or a database is called; its short identifier when nothing has it. */
export function NameOf({ id }: { id: string }) {
  const named = useNamed(id);
  if (id === PAGE_PARSER) return <>{id}</>;
  return <>{named === undefined ? '…' : (named?.name ?? shortId(id))}</>;
}

/** What a target runs, as plain text. */
export function TargetName({ target }: { target: Target }) {
  if (target.type === 'api') return <>{target.id}</>;
  if (target.type === 'workflow') return <NameOf id={target.workflowId} />;
  return (
    <>
      <NameOf id={target.parserId} />
      {typeof target.version === 'number' && ` v${target.version}`}
    </>
  );
}
