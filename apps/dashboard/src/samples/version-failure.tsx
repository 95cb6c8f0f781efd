import { Button } from '@mantine/core';
import { useQuery, type UseMutationResult } from '@tanstack/react-query';
import { operationQuery, type CallInput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { plural } from '../format/format.ts';
import { Failure, Loading } from '../parts/page.tsx';
import { SampleChanges } from './sample-changes.tsx';

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
