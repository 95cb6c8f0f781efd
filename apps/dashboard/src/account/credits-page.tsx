import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, type ComponentType } from 'react';
import type { CallOutput } from '../api/call.ts';
import { listQuery, operationQuery } from '../api/queries.ts';
import { formatNumber, plural } from '../format/number.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { burnByDay, type Day } from './burn.ts';

/** A browser that can't draw it (uPlot refuses languages like `en-US@posix`) still shows the ledger. */
const BurnChart = lazy((): Promise<{ default: ComponentType<{ days: readonly Day[] }> }> =>
  import('./burn-chart.tsx').catch(() => ({ default: () => null })),
);

type Entry = CallOutput<'listLedger'>['entries'][number];

const DAYS = 14;

const WORDS: Record<Entry['kind'], string> = {
  grant: 'Added',
  reserve: 'Set aside',
  settle: 'Used',
  release: 'Given back',
};

function signed({ kind, credits }: Entry): string {
  if (kind === 'grant') return credits < 0 ? `−${formatNumber(-credits)}` : `+${formatNumber(credits)}`;
  return kind === 'settle' ? `−${formatNumber(credits)}` : formatNumber(credits);
}

/** The balance, its use by day, and every entry of the ledger. */
export function CreditsPage() {
  const credits = useQuery(operationQuery('getCredits', {}));
  const ledger = useInfiniteQuery(listQuery('listLedger', { query: {} }));
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
                  <>
                    . At this pace the balance lasts about {plural(Math.floor(balance / perDay), 'day')}{' '}
                    (estimated)
                  </>
                )}
              </>
            )}
          </p>
          <Suspense fallback={<div style={{ height: 150 }} />}>
            <BurnChart days={days} />
          </Suspense>
        </section>
        <div style={{ flex: 1, minHeight: 240 }}>
          <Listed
            label="Ledger"
            query={ledger}
            rowsOf={(page) => page.entries}
            rowId={({ id }) => id}
            empty={
              <Empty title="Nothing was added or used yet">
                <p>Each grant and each run leaves its entries here.</p>
              </Empty>
            }
            columns={[
              { id: 'when', header: 'When', width: '110px', cell: (entry) => <When at={entry.created_at} /> },
              { id: 'kind', header: 'What', width: 'minmax(90px, 140px)', cell: ({ kind }) => WORDS[kind] },
              {
                id: 'credits',
                header: 'Credits',
                width: '90px',
                align: 'right',
                cell: (entry) => (
                  <span className={entry.kind === 'reserve' || entry.kind === 'release' ? 'soft' : undefined}>
                    {signed(entry)}
                  </span>
                ),
              },
              {
                id: 'reference',
                header: 'For',
                width: 'minmax(120px, 1fr)',
                cell: ({ reference }) => <RunLink id={reference} />,
              },
            ]}
          />
        </div>
      </div>
    </Page>
  );
}
