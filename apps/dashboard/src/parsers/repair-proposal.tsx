import type { RepairResult } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { call, useChange, type CallOutput } from '../api/call.ts';
import { cellText, formatNumber, plural, shortUrl } from '../format/format.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Status, type StatusName } from '../parts/page.tsx';
import { scrollThere } from '../parts/scroll-there.ts';
import { describeField } from './field-words.ts';
import styles from './parsers.module.css';
import { VersionFailure } from '../samples/sample-changes.tsx';

type Proposal = CallOutput<'proposeParserRepair'>;
type Field = Proposal['fields'][number];
type Example = Field['examples'][number];

const WORDS = {
  kept: { status: 'succeeded', word: 'still works' },
  repaired: { status: 'attention', word: 'repaired' },
  lost: { status: 'failed', word: 'not found again' },
} satisfies Record<RepairResult, { status: StatusName; word: string }>;

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** The values of some pages: what their earlier rows have, and what the proposal reads. */
const EXAMPLE_COLUMNS: readonly PlainColumn<Example>[] = [
  { header: 'Page', className: 'soft', title: ({ url }) => url, cell: ({ url }) => shortUrl(url) },
  {
    header: 'The row has',
    title: ({ earlier }) => cellText(earlier),
    cell: ({ earlier }) => cellText(earlier) || '–',
  },
  {
    header: 'Reads now',
    title: ({ read }) => cellText(read),
    className: ({ earlier, read }) => (isEqual(earlier, read) ? 'good-text' : 'bad-text'),
    cell: ({ earlier, read }) => `${isEqual(earlier, read) ? '=' : '≠'} ${cellText(read) || 'nothing'}`,
  },
];

/** The source of a field before and after, with its fallbacks on demand. */
function Sources({ field }: { field: Field }) {
  const before = describeField(field.before);
  const after = describeField(field.after);
  const [first, ...others] = after.sources;
  return (
    <div className="small">
      <code className={styles.before}>{before.sources.join(', ')}</code> →{' '}
      <code className={styles.after}>{first}</code>
      {others.length > 0 && (
        <details>
          <summary className="soft">and {plural(others.length, 'fallback')}</summary>
          <ol className={styles.fallbacks}>
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
  const { path, state, reason, verified, examples } = field;
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
      {state !== 'kept' && examples.length > 0 && (
        <PlainTable
          label={`${path} on kept pages`}
          rows={examples}
          rowKey={({ url }) => url}
          columns={EXAMPLE_COLUMNS}
          isNarrow
        />
      )}
    </li>
  );
}

/** The repair in one line: `10 found again, 4 not`. */
function summaryOf(fields: readonly Pick<Field, 'state'>[]): string {
  const count = (state: RepairResult): number => fields.filter((field) => field.state === state).length;
  const [kept, repaired, lost] = [count('kept'), count('repaired'), count('lost')];
  return [
    `${plural(repaired, 'field')} found again`,
    ...(lost > 0 ? [`${formatNumber(lost)} not`] : []),
    ...(kept > 0 ? [`${formatNumber(kept)} still ${kept === 1 ? 'works' : 'work'}`] : []),
  ].join(', ');
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
  const { schema } = proposal;
  const accept = useChange(
    async ({ isReparsed, force }: { isReparsed: boolean; force?: boolean }) => {
      if (schema === null) throw new Error('there is nothing to accept');
      await call('updateParser', { params: { id: parserId }, body: { schema, ...(force && { force }) } });
      return isReparsed
        ? call('reparseBatch', { params: { id: batchId }, body: { pages: 'all' } })
        : undefined;
    },
    {
      stale: ['getParser', 'getParserHealth'],
      onDone: (batch) =>
        batch
          ? navigate({ to: '/runs/batches/$batchId', params: { batchId: batch.id } })
          : navigate({ to: '/parsers/$parserId/versions', params: { parserId } }),
    },
  );
  if (schema === null)
    return (
      <div className="notice" role="status">
        <span>
          The kept pages hold too few of the earlier values, so there is no proposal.{' '}
          <Link to="/parsers/$parserId" params={{ parserId }}>
            Repair it in the studio
          </Link>
        </span>
      </div>
    );
  return (
    <div ref={scrollThere} className="notice" role="region" aria-label="Proposed repair">
      <div className="stack grow">
        <strong>{summaryOf(proposal.fields)}</strong>
        <span className="soft small">
          Learned from {plural(proposal.pages.length, 'kept page')} and earlier rows.
        </span>
        <VersionFailure parserId={parserId} change={accept} versionOf={() => ({ schema })} />
        <div className="row wrap">
          <Button loading={accept.isPending} onClick={() => accept.mutate({ isReparsed: true })}>
            Accept and parse the kept pages again
          </Button>
          <Button
            variant="default"
            disabled={accept.isPending}
            onClick={() => accept.mutate({ isReparsed: false })}
          >
            Accept only
          </Button>
        </div>
        <ul className={`${styles.changes} ${styles.repairs}`}>
          {proposal.fields.map((field) => (
            <FieldRepair key={field.path} field={field} />
          ))}
        </ul>
      </div>
    </div>
  );
}
