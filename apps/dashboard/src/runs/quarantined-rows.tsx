import type { QuarantineState } from '@gleaner/contracts/values';
import { Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call, listQuery, operationQuery, useChange, type CallOutput } from '../api/call.ts';
import { formatNumber, plural, shortUrl, cellText, memberOf } from '../format/format.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconCheck, IconRefresh, IconTrash } from '../parts/icons.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Failure, Status, type StatusName } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { useChosen, type Chosen } from '../parts/use-chosen.ts';
import { parserIdOf } from '../targets/target.ts';
import { comparedColumns, losesValue, type QuarantinedRow } from './compared-columns.ts';
import { useReparse } from './kept-pages.tsx';
import { readsWellSince } from './reads-well.ts';

/** One value of a row held back, with the value that it would replace. */
function ComparedCell({ row: { data, current }, name }: { row: QuarantinedRow; name: string }) {
  const held = cellText(memberOf(data, name));
  const heldText = held === '' ? <span className="bad-text">nothing</span> : held;
  if (current == null) return <span title={held}>{heldText}</span>;
  const kept = cellText(current.data[name]);
  if (kept === held) return <span className="soft">{held === '' ? '–' : held}</span>;
  return (
    <>
      <div className="truncate" title={kept}>
        <span className="visually-hidden">The table has </span>
        {kept === '' ? '–' : kept}
      </div>
      <div className="truncate small soft" title={held}>
        would become {heldText}
      </div>
    </>
  );
}

type Batch = CallOutput<'getBatch'>;

const STATES = {
  suspect: { status: 'attention', word: 'suspect' },
  held: { status: 'attention', word: 'held back' },
  releasing: { status: 'running', word: 'being written' },
  released: { status: 'succeeded', word: 'written' },
  discarded: { status: 'cancelled', word: 'dropped' },
  reparsed: { status: 'succeeded', word: 'read again' },
} satisfies Record<QuarantineState, { status: StatusName; word: string }>;
const WAITING = new Set<QuarantineState>(['suspect', 'held', 'releasing'] satisfies QuarantineState[]);
const LIVE_MS = 1_500;

interface DecisionsProps {
  batch: Batch;
  chosen: Chosen<number>;
  /** Whether the rows are likely right: they are written first of all. */
  isWritten: boolean;
}

/** The decisions on rows held back: read their pages again, write them, drop them. */
function Decisions({ batch: { id, counts }, chosen, isWritten }: DecisionsProps) {
  const params = { id };
  const seqs = [...chosen.all];
  // Without a choice all that wait are meant.
  const body = seqs.length === 0 ? {} : { seqs };
  const what = seqs.length === 0 ? `all ${formatNumber(counts.quarantined)}` : formatNumber(seqs.length);
  const options = { stale: ['listQuarantinedRows', 'getBatch'], onDone: chosen.clear };
  const release = useChange(() => call('releaseQuarantinedRows', { params, body }), options);
  const reparse = useReparse(id);
  const write = { loading: release.isPending, onClick: () => release.mutate() };
  return (
    <>
      <div className="row wrap">
        {isWritten && (
          <ActionButton isMain icon={IconCheck} {...write}>
            Write {what}
          </ActionButton>
        )}
        <ActionButton
          icon={IconRefresh}
          loading={reparse.isPending}
          onClick={() => reparse.mutate('quarantined')}
        >
          Parse their pages again, free
        </ActionButton>
        {!isWritten && (
          <Button variant="default" {...write}>
            Write {what} as they are
          </Button>
        )}
        <ConfirmButton
          icon={IconTrash}
          label={`Drop ${what}`}
          title={`Drop ${what}`}
          action="Drop rows"
          run={() => call('discardQuarantinedRows', { params, body })}
          {...options}
        >
          They are never written. The table keeps what it has.
        </ConfirmButton>
      </div>
      <Failure error={release.error ?? reparse.error} />
    </>
  );
}

/** Whether the parser reads the hosts of all rows that wait well again. */
function useReadsWell({ target }: Batch, waiting: readonly QuarantinedRow[]): boolean {
  const id = parserIdOf(target) ?? '';
  const { data } = useQuery({
    ...operationQuery('getParserHealth', { params: { id } }),
    enabled: id !== '' && waiting.length > 0,
  });
  if (data === undefined || waiting.length === 0) return false;
  return waiting.every(
    ({ state, url, fetched_at: at }) => state === 'held' && readsWellSince(data.hosts, { url, at }),
  );
}

interface IntroductionProps {
  batch: Batch;
  isWell: boolean;
  isLossy: boolean;
}

/** Why the rows wait, and what to do with them. */
function Introduction({ batch: { counts, target }, isWell, isLossy }: IntroductionProps) {
  const waiting = counts.quarantined;
  if (waiting === 0) return <p className="small soft">No row waits for a decision.</p>;
  if (isWell)
    return (
      <p className="small soft">
        The parser seemed broken, so Gleaner did not write {plural(waiting, 'row')}. It reads well again:{' '}
        {isLossy
          ? 'drop the rows that lack a value which the table has, and write the others.'
          : 'look at these rows, and write them.'}
      </p>
    );
  return (
    <p className="small soft">
      The parser seems broken, so Gleaner did not write {plural(waiting, 'row')}.
      {target.type === 'parser' && (
        <>
          {' '}
          Before you write them,{' '}
          <Link to="/parsers/$parserId/health" params={{ parserId: target.parserId }}>
            check its health
          </Link>
          , repair it, and parse the kept pages again.
        </>
      )}
    </p>
  );
}

function columnsOf(names: readonly string[], chosen: Chosen<number>): readonly PlainColumn<QuarantinedRow>[] {
  return [
    {
      header: 'Chosen',
      isHeaderHidden: true,
      cell: ({ seq, state, url }) => (
        <Checkbox
          aria-label={`Choose ${shortUrl(url)}`}
          disabled={state !== 'held' && state !== 'suspect'}
          checked={chosen.all.has(seq)}
          onChange={() => chosen.toggle(seq)}
        />
      ),
    },
    { header: 'Page', title: ({ url }) => url, cell: ({ url }) => shortUrl(url) },
    {
      header: 'State',
      cell: ({ state, reason }) => (
        <>
          <Status {...STATES[state]} />
          <div className="soft small truncate" title={reason}>
            {reason}
          </div>
        </>
      ),
    },
    ...names.map((name) => ({
      header: name,
      cell: (row: QuarantinedRow) => <ComparedCell row={row} name={name} />,
    })),
    { header: 'Fetched', cell: (row) => <When at={row.fetched_at} /> },
  ];
}

/**
 * Rows that were not written because the parser seems broken, beside the rows that they would replace, and the possible
 * decisions.
 */
export function QuarantinedRows({ batch }: { batch: Batch }) {
  const client = useQueryClient();
  const chosen = useChosen<number>();
  const query = useInfiniteQuery({
    ...listQuery('listQuarantinedRows', { params: { id: batch.id }, query: { with_current: true } }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.rows.some((row) => row.state === 'releasing')) === true
        ? LIVE_MS
        : false,
  });
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const waitingRows = rows.filter(({ state }) => WAITING.has(state));
  const waiting = waitingRows.length;
  const isWell = useReadsWell(batch, waitingRows);
  const isLossy = waitingRows.some(losesValue);
  useEffect(() => {
    // The batch counts the rows that wait. A count that was read before these rows is an earlier one.
    void client.invalidateQueries({ queryKey: ['getBatch'] });
  }, [client, waiting]);
  return (
    <section aria-label="Rows held back">
      <ReadPages
        query={query}
        what="the rows held back"
        rowsOf={(page) => page.rows}
        empty="No row is held back."
      >
        {(found) => (
          <>
            <Introduction batch={batch} isWell={isWell} isLossy={isLossy} />
            {batch.counts.quarantined > 0 && (
              <Decisions batch={batch} chosen={chosen} isWritten={isWell && !isLossy} />
            )}
            <PlainTable
              label="Rows held back, table"
              rows={found}
              rowKey={({ seq }) => seq}
              columns={columnsOf(comparedColumns(found), chosen)}
            />
          </>
        )}
      </ReadPages>
    </section>
  );
}
