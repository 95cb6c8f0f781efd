import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { call, listQuery, operationQuery, useChange, type CallOutput } from '../api/call.ts';
import { ReadPages } from '../parts/listed.tsx';
import { Page, Failure, Loaded } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { diffSchemas } from './diff-schemas.ts';
import { FieldChanges } from './field-changes.tsx';
import { isRegression, Regression } from '../samples/regression.tsx';
import { parserCrumbs } from './parser-crumbs.tsx';
import styles from './parsers.module.css';
import { plural } from '../format/format.ts';
import { SampleChanges } from '../samples/sample-changes.tsx';

interface VersionComparisonProps {
  parserId: string;
  before: Version;
  after: Version;
}

interface Version {
  version: number;
  schema: Record<string, unknown>;
}

/** Two versions side by side: their fields, and what they read differently on the samples. */
function VersionComparison({ parserId, before, after }: VersionComparisonProps) {
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

type ParserVersion = CallOutput<'listParserVersions'>['versions'][number];

interface VersionLineProps {
  parserId: string;
  version: ParserVersion;
  /** The version before; undefined when it is the first, or not read yet. */
  before: ParserVersion | undefined;
  isFirst: boolean;
  /** The version in use. */
  current: number | undefined;
  isRestoring: boolean;
  onRestore: () => void;
}

function VersionLine(props: VersionLineProps) {
  const { parserId, version, before, isFirst, current, isRestoring, onRestore } = props;
  const changes = diffSchemas(before?.schema, version.schema);
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
      <FieldChanges changes={isFirst ? changes.map((change) => ({ ...change, kind: 'added' })) : changes} />
    </li>
  );
}

/** The changes of each version, and a button to restore it. */
export function VersionsPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/versions' });
  const search = useSearch({ from: '/app/parsers/$parserId/versions' });
  const client = useQueryClient();
  const parserQuery = operationQuery('getParser', { params: { id: parserId } });
  const parser = useQuery(parserQuery);
  const query = useInfiniteQuery(listQuery('listParserVersions', { params: { id: parserId } }));
  const restore = useChange(
    ({ n, force }: { n: number; force: boolean }) =>
      call('restoreParserVersion', { params: { id: parserId, n }, query: force ? { force } : {} }),
    {
      stale: ['listParserVersions'],
      onDone: (record) => client.setQueryData(parserQuery.queryKey, record),
    },
  );
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? [];
  const before = versions.find(({ version }) => version === search.before);
  const after = versions.find(({ version }) => version === search.after);
  return (
    <Page title="Versions" crumbs={parserCrumbs(parserId, parser.data?.name)} padded>
      {isRegression(restore.error) && restore.variables !== undefined ? (
        <Regression
          parserId={parserId}
          compared={{ after: restore.variables.n }}
          isForcing={restore.isPending}
          onForce={() => restore.variables && restore.mutate({ ...restore.variables, force: true })}
          onClose={restore.reset}
        />
      ) : (
        <Failure error={restore.error} />
      )}
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
                before={rows[index + 1]}
                isFirst={index === rows.length - 1 && !query.hasNextPage}
                current={parser.data?.version}
                isRestoring={restore.isPending && restore.variables?.n === version.version}
                onRestore={() => restore.mutate({ n: version.version, force: false })}
              />
            ))}
          </ol>
        )}
      </ReadPages>
    </Page>
  );
}
