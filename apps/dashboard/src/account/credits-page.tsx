import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState, type ComponentType } from 'react';
import { listQuery, operationQuery } from '../api/queries.ts';
import { formatNumber, plural } from '../format/number.ts';
import { ArrangedList } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { burnByDay, type Day } from './burn.ts';
import { ledgerRows, type LedgerRow } from './ledger-rows.ts';

/** A browser that can't draw it (uPlot refuses languages like `en-US@posix`) still shows the ledger. */
const BurnChart = lazy((): Promise<{ default: ComponentType<{ days: readonly Day[] }> }> =>
  import('./burn-chart.tsx').catch(() => ({ default: () => null })),
);

const DAYS = 14;
const LONG_DAYS = 365;

function signed({ credits, isNeutral, word }: LedgerRow): string {
  if (isNeutral) return formatNumber(credits);
  if (credits < 0) return `−${formatNumber(-credits)}`;
  return word === 'Used' ? '0' : `+${formatNumber(credits)}`;
}

function lastsFor(days: number): string {
  return days > LONG_DAYS ? 'for more than a year' : `about ${plural(Math.floor(days), 'day')} (estimated)`;
}

/** The balance, its use by day, and the ledger with a line for each run. */
export function CreditsPage() {
  const credits = useQuery(operationQuery('getCredits', {}));
  const ledger = useInfiniteQuery(listQuery('listLedger', { query: {} }));
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (reference: string): void => {
    const next = new Set(opened);
    if (!next.delete(reference)) next.add(reference);
    setOpened(next);
  };
  const entries = useMemo(() => ledger.data?.pages.flatMap((page) => page.entries) ?? [], [ledger.data]);
  const days = useMemo(() => burnByDay(entries, DAYS, Date.now()), [entries]);
  const used = days.reduce((sum, day) => sum + day.used, 0);
  const isPart =
    ledger.hasNextPage && Date.parse(entries.at(-1)?.created_at ?? '') > (days[0]?.at ?? 0) * 1000;
  const balance = credits.data?.creditBalance;
  const perDay = used / DAYS;
  return (
    <Page title="Credits" aside={balance !== undefined && <strong>{formatNumber(balance)}</strong>}>
      <div style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
        <section style={{ padding: '12px 20px 4px' }} aria-label="Use">
          {credits.error !== null && <Failure error={credits.error} onRetry={() => void credits.refetch()} />}
          <p className="small soft" style={{ minHeight: 18 }}>
            {entries.length > 0 && (
              <>
                {isPart ? 'At least ' : ''}
                {plural(used, 'credit')} used in the last {DAYS} days
                {perDay > 0 && balance !== undefined && !isPart && (
                  <>. At this pace the balance lasts {lastsFor(balance / perDay)}</>
                )}
              </>
            )}
          </p>
          <Suspense fallback={<div style={{ height: 150 }} />}>
            <BurnChart days={days} />
          </Suspense>
        </section>
        <div style={{ flex: 1, minHeight: 240 }}>
          <ArrangedList
            label="Ledger"
            query={ledger}
            rowsOf={(page) => page.entries}
            arrange={(read) => ledgerRows(read, opened)}
            rowId={({ id }) => id}
            empty={
              <Empty title="Nothing was added or used yet">
                <p>Each grant and each run leaves its entries here.</p>
              </Empty>
            }
            columns={[
              { id: 'when', header: 'When', width: '100px', cell: ({ at }) => <When at={at} /> },
              {
                id: 'kind',
                isExtra: true,
                header: 'What',
                width: 'minmax(90px, 140px)',
                cell: ({ word, isPart }) => <span className={isPart ? 'part soft' : undefined}>{word}</span>,
              },
              {
                id: 'credits',
                header: 'Credits',
                width: '90px',
                align: 'right',
                cell: (row) => (
                  <span className={row.isNeutral || row.isPart ? 'soft' : undefined}>{signed(row)}</span>
                ),
              },
              {
                id: 'reference',
                header: 'For',
                width: 'minmax(120px, 1fr)',
                cell: ({ reference, isPart }) => (isPart ? null : <RunLink id={reference} />),
              },
              {
                id: 'count',
                header: 'Entries',
                width: '76px',
                align: 'right',
                cell: ({ count, reference }) =>
                  count === 1 ? null : (
                    <button
                      type="button"
                      className="link"
                      aria-expanded={opened.has(reference)}
                      onClick={() => toggle(reference)}
                    >
                      {opened.has(reference) ? 'Hide' : 'Show'} {formatNumber(count)}
                    </button>
                  ),
              },
            ]}
          />
        </div>
      </div>
    </Page>
  );
}
