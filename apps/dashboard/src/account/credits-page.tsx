import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listQuery, operationQuery } from '../api/call.ts';
import { formatBytes, formatNumber, plural } from '../format/format.ts';
import { column, extra } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { ArrangedList } from '../parts/listed.tsx';
import { Page, Empty, Failure } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { useChosen, type Chosen } from '../parts/use-chosen.ts';
import { NamedRun } from '../runs/run-link.tsx';
import styles from './account.module.css';
import { burnByDay, burnText, lastDays, type Day } from './burn.ts';
import { UsageTable } from './usage-table.tsx';
import { ledgerRows, signedCredits, type LedgerRow } from './ledger-rows.ts';

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

function dayOf({ at }: Day): string {
  return day.format(new Date(at * 1000));
}

/** Credits used a day, as bars with their values. */
function BurnChart({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ used }) => used));
  return (
    <ol className={styles.chart} aria-label="Credits used a day">
      {days.map((one) => (
        <li key={one.at} title={`${dayOf(one)}: ${plural(one.used, 'credit')}`}>
          <span className="small num">{one.used > 0 && formatNumber(one.used)}</span>
          <i style={{ height: `${(one.used / most) * 100}%` }} />
          <span className="small soft nowrap">{dayOf(one)}</span>
        </li>
      ))}
    </ol>
  );
}

const DAYS = 14;

function readZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function columnsOf(opened: Chosen<string>): readonly Column<LedgerRow>[] {
  return [
    column('When', '92px', ({ at }) => <When at={at} />),
    extra(
      column('What', 'minmax(90px, 140px)', ({ word, isPart }) => (
        <span className={isPart ? `${styles.part} soft` : undefined}>{word}</span>
      )),
    ),
    {
      header: 'Credits',
      width: '62px',
      align: 'right',
      cell: (row) => (
        <span className={row.isNeutral || row.isPart ? 'soft' : undefined}>{signedCredits(row)}</span>
      ),
    },
    column('For', 'minmax(90px, 1fr)', (row) => !row.isPart && <NamedRun id={row.reference} />),
    {
      header: 'Entries',
      width: '64px',
      align: 'right',
      cell: ({ count, reference }) =>
        count > 1 && (
          <button
            type="button"
            className="link"
            aria-expanded={opened.all.has(reference)}
            onClick={() => opened.toggle(reference)}
          >
            {opened.all.has(reference) ? 'Hide' : 'Show'} {formatNumber(count)}
          </button>
        ),
    },
  ];
}

/** The balance, its use by day, and the ledger with a line for each run. */
export function CreditsPage() {
  const credits = useQuery(operationQuery('getCredits', {}));
  const ledger = useInfiniteQuery(listQuery('listLedger', { query: {} }));
  const opened = useChosen<string>();
  const dates = useMemo(() => lastDays(DAYS, Date.now()), []);
  const from = dates[0]?.toISOString() ?? '';
  const usage = useQuery(
    operationQuery('getUsage', { query: { group_by: 'day', from, timezone: readZone(), limit: DAYS } }),
  );
  const days = burnByDay(usage.data?.usage ?? [], dates);
  const balance = credits.data?.creditBalance;
  return (
    <Page title="Credits" aside={balance !== undefined && <strong>{formatNumber(balance)}</strong>}>
      <div className="column">
        <section className={styles.use} aria-label="Use">
          <Failure error={credits.error} onRetry={() => void credits.refetch()} />
          <Failure error={usage.error} onRetry={() => void usage.refetch()} />
          {usage.data && (
            <>
              <p className="small soft">{burnText(days, balance)}.</p>
              <BurnChart days={days} />
              <UsageTable from={from} />
            </>
          )}
          {credits.data && (
            <p className="small soft section">
              {formatBytes(credits.data.storedBytes)} of {formatBytes(credits.data.storedBytesLimit)} stored
            </p>
          )}
        </section>
        <div className="fill">
          <ArrangedList
            label="Ledger"
            query={ledger}
            rowsOf={(page) => page.entries}
            arrange={(read) => ledgerRows(read, opened.all)}
            rowId={({ id }) => id}
            columns={columnsOf(opened)}
            empty={
              <Empty title="No credits were added or used yet">
                <p>Grants and runs are listed here.</p>
              </Empty>
            }
          />
        </div>
      </div>
    </Page>
  );
}
