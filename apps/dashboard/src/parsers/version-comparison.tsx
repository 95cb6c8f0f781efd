import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { operationQuery } from '../api/queries.ts';
import { plural } from '../format/number.ts';
import { Loaded } from '../parts/states.tsx';
import { diffSchemas } from './diff-schemas.ts';
import { FieldChanges } from './field-changes.tsx';
import styles from './parsers.module.css';
import { SampleChanges } from '../samples/sample-changes.tsx';

interface VersionComparisonProps {
  parserId: string;
  before: Version;
  after: Version;
}

export interface Version {
  version: number;
  schema: Record<string, unknown>;
}

/** Two versions side by side: their fields, and what they read differently on the samples. */
export function VersionComparison({ parserId, before, after }: VersionComparisonProps) {
  const body = { before: before.version, after: after.version };
  const query = useQuery(operationQuery('compareParserVersions', { params: { id: parserId }, body }));
  const changes = diffSchemas(before.schema, after.schema);
  return (
    <section
      className={`section stack ${styles.comparison}`}
      aria-label={`v${before.version} and v${after.version}`}
    >
      <div className="row wrap">
        <h2 className="grow">
          From v{before.version} to v{after.version}
        </h2>
        <Link to="/parsers/$parserId/versions" params={{ parserId }} search={{}} replace className="small">
          All versions
        </Link>
      </div>
      <FieldChanges changes={changes} />
      <Loaded query={query} what="the differences on samples">
        {({ samples, changes: read }) =>
          samples === 0 ? (
            <p className="soft small">
              The parser has no{' '}
              <Link to="/parsers/$parserId/samples" params={{ parserId }}>
                samples
              </Link>
              , so Gleaner can’t compare what the two read.
            </p>
          ) : read.length === 0 ? (
            <p className="soft small">Both read the same on {plural(samples, 'sample')}.</p>
          ) : (
            <SampleChanges changes={read} />
          )
        }
      </Loaded>
    </section>
  );
}
