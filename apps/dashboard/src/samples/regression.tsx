import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call, type CallInput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { plural } from '../format/format.ts';
import { Failure, Loading } from '../parts/page.tsx';
import { SampleChanges } from './sample-changes.tsx';

/** Whether a version was refused because it breaks a sample. */
export function isRegression(error: unknown): boolean {
  return error !== null && toProblem(error).body.error === 'regression';
}

interface RegressionProps {
  parserId: string;
  /** The version that was refused. */
  compared: CallInput<'compareParserVersions'>['body'];
  onForce: () => void;
  isForcing: boolean;
  onClose: () => void;
}

/** A refused version: what it breaks, sample by sample, and the way to save it all the same. */
export function Regression({ parserId, compared, onForce, isForcing, onClose }: RegressionProps) {
  const query = useQuery({
    queryKey: ['compareParserVersions', parserId, compared],
    queryFn: ({ signal }) =>
      call('compareParserVersions', { params: { id: parserId }, body: compared }, { signal }),
  });
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
        {query.error !== null && <Failure error={query.error} />}
        {query.isPending && <Loading what="the differences" lines={2} />}
        {query.data && <SampleChanges changes={query.data.changes} />}
        <div className="row wrap">
          <Button variant="default" loading={isForcing} onClick={onForce}>
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
