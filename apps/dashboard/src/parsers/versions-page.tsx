import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { call, listQuery, operationQuery, useChange, type CallOutput } from '../api/call.ts';
import { ReadPages } from '../parts/listed.tsx';
import { Loaded } from '../parts/page.tsx';
import { scrollThere } from '../parts/scroll-there.ts';
import { When } from '../parts/when.tsx';
import { cutText, diffSchemas, type FieldChange } from './diff-schemas.ts';
import { SampleChanges, VersionFailure } from '../samples/sample-changes.tsx';
import { ParserPart } from './parser-part.tsx';
import styles from './parsers.module.css';
import { plural } from '../format/format.ts';

function Change({ change }: { change: FieldChange }) {
  const { kind, path, before, after } = change;
  const name = <strong>{path}</strong>;
  const now = (
    <code className={styles.after} title={after}>
      {cutText(after ?? '', before)}
    </code>
  );
  const was = (
    <code className={styles.before} title={before}>
      {cutText(before ?? '', after)}
    </code>
  );
  return (
    <li className={styles.change}>
      {kind === 'added' && (
        <>
          Adds {name}, read by {now}.
        </>
      )}
      {kind === 'removed' && <>Leaves out {name}.</>}
      {kind === 'changed' && (
        <>
          Reads {name} by {now} instead of {was}.
        </>
      )}
    </li>
  );
}

/** The fields that a version changes. */
function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p className="soft small">The same fields as before.</p>;
  return (
    <ul className={styles.changes}>
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
    </ul>
  );
}

type ParserVersion = CallOutput<'listParserVersions'>['versions'][number];

interface VersionComparisonProps {
  parserId: string;
  before: ParserVersion;
  after: ParserVersion;
}

/** Two versions side by side: their fields, and what they read differently on the samples. */
function VersionComparison({ parserId, before, after }: VersionComparisonProps) {
  const body = { before: before.version, after: after.version };
  const query = useQuery(operationQuery('compareParserVersions', { params: { id: parserId }, body }));
  const changes = diffSchemas(before.schema, after.schema);
  return (
    <section
      ref={scrollThere}
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

interface VersionLineProps {
  parserId: string;
  version: ParserVersion;
  changes: FieldChange[];
  /** The version in use. */
  current: number | undefined;
  isRestoring: boolean;
  onRestore: () => void;
}

function VersionLine({ parserId, version, changes, current, isRestoring, onRestore }: VersionLineProps) {
  return (
    <li className="section">
      <div className="row wrap">
        <h2>v{version.version}</h2>
        {version.is_current && <span className="small status succeeded">in use</span>}
        {version.restored_from !== null && (
          <span className="small soft">restored from v{version.restored_from}</span>
        )}
        <span className="small soft">
          <When at={version.created_at} />
        </span>
        <span className="grow" />
        {!version.is_current && (
          <>
            <Link
              to="/parsers/$parserId/versions"
              params={{ parserId }}
              search={{ before: version.version, after: current }}
              className="small"
            >
              Compare with v{current}
            </Link>
            <Button variant="default" loading={isRestoring} onClick={onRestore}>
              Restore as v{(current ?? 0) + 1}
            </Button>
          </>
        )}
      </div>
      <FieldChanges changes={changes} />
    </li>
  );
}

/** The changes of each version, and a button to restore it. */
export function VersionsPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/versions' });
  const search = useSearch({ from: '/app/parsers/$parserId/versions' });
  const params = { id: parserId };
  const client = useQueryClient();
  const parserQuery = operationQuery('getParser', { params });
  const parser = useQuery(parserQuery);
  const query = useInfiniteQuery(listQuery('listParserVersions', { params }));
  const restore = useChange(
    ({ n, force }: { n: number; force?: boolean }) =>
      call('restoreParserVersion', { params: { ...params, n }, query: force ? { force } : {} }),
    {
      stale: ['listParserVersions'],
      onDone: (record) => client.setQueryData(parserQuery.queryKey, record),
    },
  );
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? [];
  const before = versions.find(({ version }) => version === search.before);
  const after = versions.find(({ version }) => version === search.after);
  return (
    <ParserPart parserId={parserId} title="Versions">
      <VersionFailure parserId={parserId} change={restore} versionOf={({ n }) => ({ after: n })} />
      {before && after && <VersionComparison parserId={parserId} before={before} after={after} />}
      <ReadPages
        query={query}
        what="the versions"
        rowsOf={(page) => page.versions}
        empty="The parser has no version."
        more="Earlier versions"
      >
        {(rows) => (
          <ol className={styles.versions}>
            {rows.map((version, index) => (
              <VersionLine
                key={version.version}
                parserId={parserId}
                version={version}
                // Until the version before is read, all its fields are as if they were added.
                changes={diffSchemas(rows[index + 1]?.schema, version.schema)}
                current={parser.data?.version}
                isRestoring={restore.isPending && restore.variables.n === version.version}
                onRestore={() => restore.mutate({ n: version.version })}
              />
            ))}
          </ol>
        )}
      </ReadPages>
    </ParserPart>
  );
}
