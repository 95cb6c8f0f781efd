import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, operationQuery } from '../api/call.ts';
import { column, extra } from '../parts/columns.tsx';
import { Listed } from '../parts/listed.tsx';
import { fromOf, RecordDrawer } from '../parts/record-drawer.tsx';
import { ownValue } from '../runs/own-cell.tsx';
import { useOpened } from '../parts/use-opened.ts';
import { When } from '../parts/when.tsx';
import { NamedRun } from '../runs/run-link.tsx';
import { ChangeValues, Difference, KindMark } from './change-parts.tsx';
import styles from './changes.module.css';
import { RowHistory } from './row-history.tsx';
import { keyText, nameOfRow, valuesOf, type Change, type ChangeKind } from './tell-change.ts';

interface Place {
  id: string;
  table: string;
}

const PAGE_SIZE = 100;

/** The changes of a table, newest first. A page with the cursor that asked for it is the last. */
function changesQuery(params: Place, kinds: ChangeKind | undefined) {
  return infiniteQueryOptions({
    queryKey: ['getChanges', 'pages', params, kinds],
    queryFn: ({ pageParam, signal }) =>
      call('getChanges', { params, query: { before: pageParam, limit: PAGE_SIZE, kinds } }, { signal }),
    initialPageParam: 'now',
    getNextPageParam: ({ cursor }, _pages, asked) => (cursor === asked ? undefined : cursor),
    refetchInterval: (query) => (query.state.data?.pages.length === 1 ? 15_000 : false),
  });
}

const COLUMNS = [
  column<Change>('Kind', '88px', ({ kind }) => <KindMark kind={kind} />),
  column<Change>('Row', 'minmax(56px, 1fr)', (change) => (
    <span title={keyText(change.key)}>{nameOfRow(change)}</span>
  )),
  column<Change>('What changed', 'minmax(120px, 3fr)', (change) => <ChangeValues change={change} />),
  extra(column<Change>('Read', '120px', ({ at }) => <When at={at} />)),
  extra(
    column<Change>('Run', 'minmax(120px, 1fr)', ({ run_id: run }) =>
      run === null ? <span className="soft">by hand</span> : <NamedRun id={run} />,
    ),
  ),
];

/** Long texts of a change, by their lines that differ. */
function Differences({ change }: { change: Change }) {
  return valuesOf(change).map(({ name, lines }) =>
    lines === undefined ? null : (
      <section key={name} aria-label={`What changed in ${name}`} className="stack tight">
        <h2>What changed in {name}</h2>
        <div className={styles.difference}>
          <Difference lines={lines} />
        </div>
      </section>
    ),
  );
}

/** The row of a change as it is now, or as the change knows it when it is gone, with its history. */
function ChangedRow({ params, change, onClose }: { params: Place; change: Change; onClose: () => void }) {
  const filter = JSON.stringify(change.key);
  const found = useQuery(operationQuery('listRows', { params, query: { filter, limit: 1 } }));
  const row = found.data?.rows[0] ?? change.row ?? { ...change.key, ...change.before, ...change.after };
  return (
    <RecordDrawer
      data={row}
      from={fromOf(row)}
      cell={ownValue}
      before={<Differences change={change} />}
      onClose={onClose}
    >
      <RowHistory params={params} rowKey={change.key} />
    </RecordDrawer>
  );
}

/** The changes of a table, newest first: what came, what went, and old values beside new ones. */
export function ChangeList({
  params,
  kinds,
  empty,
}: {
  params: Place;
  kinds?: ChangeKind | undefined;
  empty: ReactNode;
}) {
  const query = useInfiniteQuery(changesQuery(params, kinds));
  const changes = query.data?.pages.flatMap((page) => page.changes) ?? [];
  const { opened, open, close } = useOpened(changes, ({ id }) => id);
  return (
    <>
      <Listed
        label="Changes"
        query={query}
        rowsOf={({ changes }) => changes}
        rowId={({ id }) => id}
        columns={COLUMNS}
        onOpen={open}
        empty={empty}
      />
      {opened && <ChangedRow params={params} change={opened} onClose={close} />}
    </>
  );
}
