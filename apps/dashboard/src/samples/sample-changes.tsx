import { Button } from '@mantine/core';
import { useQuery, type UseMutationResult } from '@tanstack/react-query';
import { operationQuery, type CallInput, type CallOutput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { cellText, plural, shortUrl } from '../format/format.ts';
import { Failure, Loading, Status } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';

export type SampleChange = CallOutput<'compareParserVersions'>['changes'][number];

function isBroken(change: SampleChange): boolean {
  return (
    change.expected !== undefined && JSON.stringify(change.expected) !== JSON.stringify(change.after ?? null)
  );
}

function Value({ value, isBad = false }: { value: unknown; isBad?: boolean }) {
  const text = cellText(value);
  const className = isBad ? 'bad-text' : text === '' ? 'soft' : '';
  return (
    <span className={className} title={text}>
      {text === '' ? 'nothing' : text}
    </span>
  );
}

const COLUMNS: readonly PlainColumn<SampleChange>[] = [
  {
    header: 'Sample',
    className: 'soft',
    title: ({ url, sample }) => url ?? sample,
    cell: ({ url, sample }) => (url === null ? sample : shortUrl(url)),
  },
  { header: 'Field', cell: ({ field }) => <strong>{field}</strong> },
  { header: 'Read before', cell: ({ before }) => <Value value={before} /> },
  { header: 'Reads now', cell: (change) => <Value value={change.after} isBad={isBroken(change)} /> },
  {
    header: 'Expected',
    cell: (change) =>
      change.expected === undefined ? (
        <span className="soft">not pinned</span>
      ) : isBroken(change) ? (
        <Value value={change.expected} />
      ) : (
        <Status status="succeeded" word="as expected" />
      ),
  },
];

/** What two versions read differently on samples, field by field; broken expectations come first. */
export function SampleChanges({ changes }: { changes: readonly SampleChange[] }) {
  const ordered = [...changes].sort((a, b) => Number(isBroken(b)) - Number(isBroken(a)));
  return (
    <PlainTable
      label="Differences on samples"
      rows={ordered}
      rowKey={({ sample, field }) => `${sample} ${field}`}
      columns={COLUMNS}
    />
  );
}

interface RegressionProps {
  parserId: string;
  /** The version that was refused. */
  body: CallInput<'compareParserVersions'>['body'];
  onForce: () => void;
  onClose: () => void;
}

/** A refused version: what it breaks, sample by sample, and the way to save it all the same. */
function Regression({ parserId, body, onForce, onClose }: RegressionProps) {
  const query = useQuery(operationQuery('compareParserVersions', { params: { id: parserId }, body }));
  return (
    <div className="notice bad" role="alert" aria-label="Refused version">
      <div className="stack grow">
        <div>
          <strong>This version was not saved, because it breaks what samples expect.</strong>{' '}
          {query.data && (
            <span className="soft">
              {plural(query.data.broken, 'pinned value')} on {plural(query.data.samples, 'sample')}
            </span>
          )}
        </div>
        <Failure error={query.error} />
        {query.isPending && <Loading what="the differences" lines={2} />}
        {query.data && <SampleChanges changes={query.data.changes} />}
        <div className="row wrap">
          <Button variant="default" onClick={onForce}>
            Save it anyway
          </Button>
          <Button variant="subtle" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </div>
  );
}

interface VersionFailureProps<Asked> {
  parserId: string | undefined;
  /** What makes the version. */
  change: UseMutationResult<unknown, Error, Asked>;
  /** The version that it makes. */
  versionOf: (asked: Asked) => RegressionProps['body'];
}

/** Why a version could not be made: one that breaks samples can be made all the same. */
export function VersionFailure<Asked extends { force?: boolean }>(props: VersionFailureProps<Asked>) {
  const { parserId, change, versionOf } = props;
  const { error, variables: asked } = change;
  if (
    parserId === undefined ||
    asked === undefined ||
    error === null ||
    toProblem(error).body.error !== 'regression'
  )
    return <Failure error={error} />;
  return (
    <Regression
      parserId={parserId}
      body={versionOf(asked)}
      onForce={() => change.mutate({ ...asked, force: true })}
      onClose={change.reset}
    />
  );
}
