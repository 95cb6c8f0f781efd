import type { RepairResult } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { cellText, shortUrl } from '../format/shorten.ts';
import { Failure } from '../parts/states.tsx';
import { Status, type StatusName } from '../parts/values.tsx';
import { describeField } from './field-words.ts';
import { isRegression, Regression } from '../samples/regression.tsx';

type Proposal = CallOutput<'proposeParserRepair'>;
type Field = Proposal['fields'][number];

const WORDS = {
  kept: { status: 'succeeded', word: 'still works' },
  repaired: { status: 'attention', word: 'repaired' },
  lost: { status: 'failed', word: 'not found again' },
} satisfies Record<RepairResult, { status: StatusName; word: string }>;

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** The values of some pages: what their earlier rows have, and what the proposal reads. */
function Examples({ field }: { field: Field }) {
  if (field.examples.length === 0) return null;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={`${field.path} on kept pages`}>
      <table className="plain values">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">The row has</th>
            <th scope="col">Reads now</th>
          </tr>
        </thead>
        <tbody>
          {field.examples.map(({ url, earlier, read }) => (
            <tr key={url}>
              <td className="soft" title={url}>
                {shortUrl(url)}
              </td>
              <td title={cellText(earlier)}>{cellText(earlier) || '–'}</td>
              <td title={cellText(read)} className={isEqual(earlier, read) ? 'good-text' : 'bad-text'}>
                {isEqual(earlier, read) ? '= ' : '≠ '}
                {cellText(read) || 'nothing'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The source of a field before and after, with its fallbacks on demand. */
function Sources({ field }: { field: Field }) {
  const before = describeField(field.before);
  const after = describeField(field.after);
  const [first, ...others] = after.sources;
  return (
    <div className="small">
      <code className="diff-before">{before.sources.join(', ')}</code> →{' '}
      <code className="diff-after">{first}</code>
      {others.length > 0 && (
        <details>
          <summary className="soft">and {plural(others.length, 'fallback')}</summary>
          <ol className="fallbacks">
            {others.map((source) => (
              <li key={source}>
                <code>{source}</code>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function FieldRepair({ field }: { field: Field }) {
  const { path, state, reason, verified } = field;
  return (
    <li>
      <div className="row wrap">
        <strong>{path}</strong> <Status {...WORDS[state]} />
        <span className="soft small">
          {reason}
          {state === 'repaired' &&
            verified !== null &&
            `; filled on ${verified.filled} of ${plural(verified.pages, 'further page')}`}
        </span>
      </div>
      {state === 'repaired' && <Sources field={field} />}
      {state !== 'kept' && <Examples field={field} />}
    </li>
  );
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
    mutationFn: async ({ isReparsed, force }: { isReparsed: boolean; force: boolean }) => {
      if (schema === null) throw new Error('there is nothing to accept');
      await call('updateParser', { params: { id: parserId }, body: { schema, ...(force ? { force } : {}) } });
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
        <span>
          Too few of the earlier values are on the kept pages, so nothing can be proposed.{' '}
          <Link to="/parsers/$parserId" params={{ parserId }}>
            Mend it in the studio
          </Link>
        </span>
      </div>
    );
  return (
    <div className="notice" role="region" aria-label="Proposed repair">
      <div className="stack grow">
        <strong>A repair, learned from {plural(proposal.pages.length, 'kept page')} and earlier rows</strong>
        <ul className="changes repairs">
          {proposal.fields.map((field) => (
            <FieldRepair key={field.path} field={field} />
          ))}
        </ul>
        {isRegression(accept.error) && accept.variables !== undefined ? (
          <Regression
            parserId={parserId}
            compared={{ schema }}
            isForcing={accept.isPending}
            onForce={() => accept.variables && accept.mutate({ ...accept.variables, force: true })}
            onClose={accept.reset}
          />
        ) : (
          accept.error !== null && <Failure error={accept.error} />
        )}
        <div className="row wrap">
          <Button
            loading={accept.isPending}
            onClick={() => accept.mutate({ isReparsed: true, force: false })}
          >
            Accept and read the kept pages again
          </Button>
          <Button
            variant="default"
            disabled={accept.isPending}
            onClick={() => accept.mutate({ isReparsed: false, force: false })}
          >
            Accept only
          </Button>
        </div>
      </div>
    </div>
  );
}
