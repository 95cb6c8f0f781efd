import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { Failure } from '../parts/states.tsx';
import { Status } from '../parts/values.tsx';

type Proposal = CallOutput<'proposeParserRepair'>;

const WORDS = {
  kept: { status: 'succeeded', word: 'still works' },
  repaired: { status: 'attention', word: 'repaired' },
  lost: { status: 'failed', word: 'not found' },
} as const;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface RepairProposalProps {
  parserId: string;
  /** The batch with the kept pages from which it was learned. */
  batchId: string;
  proposal: Proposal;
}

/** A repair to read and accept: each field before and after, and on how many further pages it was tried. */
export function RepairProposal({ parserId, batchId, proposal }: RepairProposalProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { schema } = proposal;
  const accept = useMutation({
    mutationFn: async (isReparsed: boolean) => {
      if (schema === null) throw new Error('there is nothing to accept');
      await call('updateParser', { params: { id: parserId }, body: { schema } });
      return isReparsed
        ? call('reparseBatch', { params: { id: batchId }, body: { pages: 'all' } })
        : undefined;
    },
    onSuccess: async (batch) => {
      await client.invalidateQueries({ queryKey: ['getParser'] });
      await client.invalidateQueries({ queryKey: ['getParserHealth'] });
      if (batch) await navigate({ to: '/runs/batches/$batchId', params: { batchId: batch.id } });
      else await navigate({ to: '/parsers/$parserId/versions', params: { parserId } });
    },
  });
  if (schema === null)
    return (
      <div className="notice" role="status">
        Too few of the earlier values are on the kept pages, so nothing can be proposed.{' '}
        <Link to="/parsers/$parserId" params={{ parserId }}>
          Mend it in the studio
        </Link>
      </div>
    );
  return (
    <div className="notice" role="region" aria-label="Proposed repair">
      <div className="stack grow">
        <strong>A repair, learned from {plural(proposal.pages.length, 'kept page')} and earlier rows</strong>
        <ul className="changes">
          {proposal.fields.map((field) => (
            <li key={field.path}>
              <span className="row wrap">
                <strong>{field.path}</strong> <Status {...WORDS[field.state]} />
                <span className="soft small">
                  {field.reason}
                  {field.verified !== null &&
                    `; filled on ${field.verified.filled} of ${plural(field.verified.pages, 'further page')}`}
                </span>
              </span>
              {field.state === 'repaired' && (
                <div>
                  <code className="diff-before">{textOf(field.before)}</code>{' '}
                  <code className="diff-after">{textOf(field.after)}</code>
                </div>
              )}
            </li>
          ))}
        </ul>
        {accept.error !== null && <Failure error={accept.error} />}
        <div className="row wrap">
          <Button loading={accept.isPending} onClick={() => accept.mutate(true)}>
            Accept and read the kept pages again
          </Button>
          <Button variant="default" disabled={accept.isPending} onClick={() => accept.mutate(false)}>
            Accept as v{proposal.version + 1}
          </Button>
        </div>
      </div>
    </div>
  );
}
