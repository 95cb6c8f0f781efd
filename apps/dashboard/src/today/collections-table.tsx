import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, operationQuery } from '../api/call.ts';
import { sentenceOf } from '../crons/words.ts';
import { rowCount } from '../databases/row-count.ts';
import { formatNumber } from '../format/format.ts';
import { ReadPages } from '../parts/listed.tsx';
import { Status } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
import { When } from '../parts/when.tsx';
import { NameOf } from '../targets/target-name.tsx';
import { ChangedRows, changedText, sumOfChanged } from './changed-rows.tsx';
import type { Collection } from './runs-squares.ts';
import { Squares } from './squares.tsx';
import styles from './today.module.css';

const PAGE_SIZE = 20;
const LIVE_MS = 15_000;
/** The most databases whose tables are counted. */
const COUNTED = 4;

/** The collections, those with the latest run first. */
export function useCollections() {
  return useInfiniteQuery({
    queryKey: ['listCollections', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call('listCollections', { query: { limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
}

/** How many rows the tables of collections have, by database and table. Of a few databases: each is a call. */
function useRowCounts(collections: readonly Collection[]): ReadonlyMap<string, string> {
  const ids = [...new Set(collections.flatMap(({ database }) => database ?? []))].slice(0, COUNTED);
  const databases = useQueries({
    queries: ids.map((id) => ({
      ...operationQuery('getDatabase', { params: { id } }),
      staleTime: 60_000,
    })),
  });
  return new Map(
    databases.flatMap(({ data }) =>
      (data?.tables ?? []).map((table) => [`${data?.id}/${table.name}`, rowCount(table)] as const),
    ),
  );
}

function NameCell({ collection }: { collection: Collection }) {
  const { id, name, kind, schedule, timezone, target, enabled, paused_reason: reason } = collection;
  return (
    <>
      <Link to="/collections/$collectionId" params={{ collectionId: id }} className={styles.what}>
        {name}
      </Link>
      <div className="soft small truncate" title={schedule === null ? undefined : `${schedule}, ${timezone}`}>
        {kind === 'parser' && 'batches, by hand'}
        {schedule !== null && enabled && (sentenceOf(schedule) ?? schedule)}
        {schedule !== null && !enabled && (reason === null ? 'paused' : `paused itself: ${reason}`)}
        {target.type === 'workflow' && (
          <>
            {' · '}
            <NameOf id={target.workflowId} />
          </>
        )}
      </div>
    </>
  );
}

function RowsCell({
  collection: { database, table },
  rows,
}: {
  collection: Collection;
  rows?: string | undefined;
}) {
  if (database === null || table === null) return <span className="soft">–</span>;
  return (
    <Link
      to="/databases/$databaseId/$table"
      params={{ databaseId: database, table }}
      title={`Table ${table}`}
    >
      {rows ?? '–'}
    </Link>
  );
}

function columnsOf(counts: ReadonlyMap<string, string>, isNarrow: boolean): PlainColumn<Collection>[] {
  const name: PlainColumn<Collection> = {
    header: 'Collection',
    className: styles.name,
    cell: (collection) => <NameCell collection={collection} />,
  };
  const runs: PlainColumn<Collection> = {
    header: isNarrow ? 'Last runs' : 'Last 30 runs',
    cell: (collection) =>
      collection.runs.length === 0 ? (
        <Status status="pending" word="no run yet" />
      ) : (
        <Squares runs={collection.runs} most={isNarrow ? 12 : 30} />
      ),
  };
  if (isNarrow) return [name, runs];
  return [
    name,
    runs,
    {
      header: 'Last',
      className: 'soft nowrap',
      cell: ({ runs: [latest] }) => <When at={latest?.at ?? null} />,
    },
    {
      header: 'Rows',
      align: 'right',
      cell: (collection) => (
        <RowsCell collection={collection} rows={counts.get(`${collection.database}/${collection.table}`)} />
      ),
    },
    { header: 'Changed, 24 h', cell: (collection) => <ChangedRows collection={collection} /> },
    { header: 'Next', className: 'nowrap', cell: ({ next_run_at: at }) => <When at={at} /> },
    {
      header: 'Credits, 30 days',
      align: 'right',
      cell: ({ credits }) => <Link to="/credits">{formatNumber(credits)}</Link>,
    },
  ];
}

/** Each collection with its last runs, its rows, when it runs next and what it costs. */
export function CollectionsTable({ query }: { query: ReturnType<typeof useCollections> }) {
  const isNarrow = useNarrow();
  const changed = sumOfChanged(query.data?.pages.flatMap(({ collections }) => collections) ?? []);
  const counts = useRowCounts(query.data?.pages[0]?.collections ?? []);
  return (
    <section aria-label="Collections" className="stack tight">
      <div className="row wrap">
        <h2>Collections</h2>
        {changed !== undefined && (
          <span className="soft small">Rows in 24 hours: {changedText(changed)}</span>
        )}
        <span className="grow" />
        <Button component={Link} to="/crons/new" variant="subtle" color="gray" size="compact-xs">
          New cron
        </Button>
      </div>
      <ReadPages
        query={query}
        what="the collections"
        rowsOf={({ collections }) => collections}
        empty="A cron, or a batch whose rows go to a table, is listed here with its runs."
        more="Show more"
      >
        {(rows) => (
          <PlainTable
            label="Collections"
            rows={rows}
            rowKey={({ id }) => id}
            columns={columnsOf(counts, isNarrow)}
          />
        )}
      </ReadPages>
    </section>
  );
}
