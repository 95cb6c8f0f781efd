import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { listQuery, operationQuery } from '../api/queries.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { diffSchemas } from './diff-schemas.ts';
import { FieldChanges } from './field-changes.tsx';
import { isRegression, Regression } from '../samples/regression.tsx';
import { VersionComparison } from './version-comparison.tsx';

/** The changes of each version, and a button to restore it. */
export function VersionsPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/versions' });
  const search = useSearch({ from: '/app/parsers/$parserId/versions' });
  const client = useQueryClient();
  const parser = useQuery(operationQuery('getParser', { params: { id: parserId } }));
  const query = useInfiniteQuery(listQuery('listParserVersions', { params: { id: parserId } }));
  const restore = useMutation({
    mutationFn: ({ n, force }: { n: number; force: boolean }) =>
      call('restoreParserVersion', { params: { id: parserId, n }, query: force ? { force } : {} }),
    onSuccess: async (record) => {
      client.setQueryData(operationQuery('getParser', { params: { id: parserId } }).queryKey, record);
      await client.invalidateQueries({ queryKey: ['listParserVersions'] });
    },
  });
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? [];
  const find = (wanted: number | undefined) => versions.find(({ version }) => version === wanted);
  const before = find(search.before);
  const after = find(search.after);
  const name = parser.data?.name ?? 'Parser';
  return (
    <Page
      title="Versions"
      crumbs={
        <>
          <Link to="/parsers">Parsers</Link>
          <span aria-hidden>/</span>
          <Link to="/parsers/$parserId" params={{ parserId }}>
            {name}
          </Link>
        </>
      }
      padded
    >
      {query.error !== null && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading what="the versions" />}
      {isRegression(restore.error) && restore.variables !== undefined ? (
        <Regression
          parserId={parserId}
          compared={{ after: restore.variables.n }}
          isForcing={restore.isPending}
          onForce={() => restore.variables && restore.mutate({ ...restore.variables, force: true })}
          onClose={restore.reset}
        />
      ) : (
        restore.error !== null && <Failure error={restore.error} />
      )}
      {before && after && <VersionComparison parserId={parserId} before={before} after={after} />}
      <ol className="versions">
        {versions.map((version, index) => {
          const changes = diffSchemas(versions[index + 1]?.schema, version.schema);
          const isFirst = index === versions.length - 1 && !query.hasNextPage;
          return (
            <li key={version.version} className="section">
              <div className="row">
                <h2>v{version.version}</h2>
                {version.is_current && <span className="small status succeeded">in use</span>}
                {version.restored_from !== null && (
                  <span className="small soft">brought back v{version.restored_from}</span>
                )}
                <span className="small soft">
                  <When at={version.created_at} />
                </span>
                <span className="grow" />
                {!version.is_current && (
                  <Link
                    to="/parsers/$parserId/versions"
                    params={{ parserId }}
                    search={{ before: version.version, after: parser.data?.version }}
                    className="small"
                  >
                    Compare with v{parser.data?.version}
                  </Link>
                )}
                {!version.is_current && (
                  <Button
                    variant="default"
                    loading={restore.isPending && restore.variables?.n === version.version}
                    onClick={() => restore.mutate({ n: version.version, force: false })}
                  >
                    Restore as v{(parser.data?.version ?? 0) + 1}
                  </Button>
                )}
              </div>
              <FieldChanges
                changes={isFirst ? changes.map((change) => ({ ...change, kind: 'added' })) : changes}
              />
            </li>
          );
        })}
      </ol>
      {query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Earlier versions
        </Button>
      )}
    </Page>
  );
}
