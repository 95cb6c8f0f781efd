import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { listQuery, operationQuery } from '../api/queries.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { diffSchemas, type FieldChange } from './diff-schemas.ts';

const KINDS = {
  added: { sign: '+', className: 'good-text' },
  removed: { sign: '−', className: 'bad-text' },
  changed: { sign: '~', className: '' },
};

function Change({ change }: { change: FieldChange }) {
  const { sign, className } = KINDS[change.kind];
  return (
    <li className="row" style={{ alignItems: 'baseline' }}>
      <code aria-label={change.kind} className={className} style={{ width: 12 }}>
        {sign}
      </code>
      <strong style={{ minWidth: 110 }}>{change.path}</strong>
      <span className="grow small">
        {change.before !== undefined && <code className="diff-before">{change.before}</code>}{' '}
        {change.after !== undefined && <code className="diff-after">{change.after}</code>}
      </span>
    </li>
  );
}

/** The changes of each version, and a button to restore it. */
export function VersionsPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/versions' });
  const client = useQueryClient();
  const parser = useQuery(operationQuery('getParser', { params: { id: parserId } }));
  const query = useInfiniteQuery(listQuery('listParserVersions', { params: { id: parserId } }));
  const restore = useMutation({
    mutationFn: (n: number) => call('restoreParserVersion', { params: { id: parserId, n } }),
    onSuccess: async (record) => {
      client.setQueryData(operationQuery('getParser', { params: { id: parserId } }).queryKey, record);
      await client.invalidateQueries({ queryKey: ['listParserVersions'] });
    },
  });
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? [];
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
      {restore.error !== null && <Failure error={restore.error} />}
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
                  <Button
                    variant="default"
                    loading={restore.isPending && restore.variables === version.version}
                    onClick={() => restore.mutate(version.version)}
                  >
                    Restore as v{(parser.data?.version ?? 0) + 1}
                  </Button>
                )}
              </div>
              {changes.length === 0 ? (
                <p className="soft small">The same fields as before.</p>
              ) : (
                <ul className="changes">
                  {changes.map((change) => (
                    <Change key={change.path} change={isFirst ? { ...change, kind: 'added' } : change} />
                  ))}
                </ul>
              )}
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
