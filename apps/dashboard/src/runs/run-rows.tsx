import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listQuery } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { rowName } from '../format/row-name.ts';
import { cellText, plural, shortUrl } from '../format/format.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { fromOf, RecordDrawer } from '../parts/record-drawer.tsx';
import { ownValue } from './own-cell.tsx';
import { useOpened } from '../parts/use-opened.ts';
import { resultColumns } from './compared-columns.ts';

/** Rows that are shown here; the table itself has all. */
const MOST = 1_000;
const LIVE_MS = 3_000;

type Row = Record<string, unknown>;

interface RunRowsProps {
  /** What the rows have as `_run_id`. */
  runId: string;
  sink: Record<string, unknown>;
  /** Pages of which rows were written; undefined when one page may give many rows. */
  pages: number | undefined;
  /** Rows in which a value of an earlier fetch stayed. */
  kept: number;
  isLive: boolean;
}

function columnOf(name: string): PlainColumn<Row> {
  return {
    header: name,
    title: (row) => cellText(row[name]),
    cell: (row) => cellText(row[name]) || <span className="soft">–</span>,
  };
}

function columnsOf(rows: readonly Row[]): PlainColumn<Row>[] {
  const names = resultColumns(rows.map((data) => ({ data }))).filter((name) => !name.startsWith('_'));
  const url = (row: Row): string => cellText(row['_url']);
  return [
    ...names.map(columnOf),
    { header: 'Page', className: 'soft', title: url, cell: (row) => shortUrl(url(row)) },
  ];
}

/** The key of the table is not read for it. */
function nameOf(row: Row): string {
  return rowName(row, []);
}

/** The newest rows of a run that are in its table now. */
export function RunRows({ runId, sink: { database, table }, pages, kept, isLive }: RunRowsProps) {
  const isKnown = typeof database === 'string' && typeof table === 'string';
  const params = { id: String(database), table: String(table) };
  const filter = JSON.stringify({ _run_id: runId });
  const query = useInfiniteQuery({
    // Read once more at the end of the run: the last rows are often later than what was read while it went on.
    ...listQuery('listRows', { params, query: { filter, order_by: '-_fetched_at' } }, isLive),
    placeholderData: keepPreviousData,
    enabled: isKnown,
    retry: false,
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
  });
  const { opened, open, close } = useOpened(query.data?.pages.flatMap(({ rows }) => rows) ?? [], nameOf);
  if (!isKnown) return null;
  const link = (
    <Link
      to="/databases/$databaseId/$table"
      params={{ databaseId: params.id, table: params.table }}
      search={{ filter }}
    >
      {params.table}
    </Link>
  );
  // The table is made with the first row.
  if (query.error !== null && toProblem(query.error).status === 404)
    return (
      <p className="soft">
        {isLive ? 'The first rows appear here.' : 'Its table is gone, or was never made.'}
      </p>
    );
  const read = query.data?.pages.reduce((sum, { rows }) => sum + rows.length, 0) ?? 0;
  const isPart = query.hasNextPage || isLive || query.isFetching;
  const later = isPart || pages === undefined ? 0 : Math.max(0, pages - read);
  return (
    <div className="stack">
      <p className="soft">
        Rows in {link}, the newest first
        {later > 0 && `; ${plural(later, 'page')} ${later === 1 ? 'was' : 'were'} written again later`}.
        {kept > 0 && ` ${plural(kept, 'row')} kept an older value, because the page had none.`}
      </p>
      <ReadPages
        query={query}
        what="the rows"
        rowsOf={({ rows }) => rows}
        empty={isLive ? 'The first rows appear here.' : 'No row of this run is in the table now.'}
        more={read < MOST ? 'Show more rows' : null}
      >
        {(rows) => (
          <PlainTable
            label="Rows"
            rows={rows}
            rowKey={(_row, at) => at}
            columns={columnsOf(rows)}
            onOpen={open}
          />
        )}
      </ReadPages>
      {opened && <RecordDrawer data={opened} from={fromOf(opened)} cell={ownValue} onClose={close} />}
      {read >= MOST && query.hasNextPage && <p>All rows are in {link}.</p>}
    </div>
  );
}
