import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { operationQuery, type CallOutput } from '../api/call.ts';
import { Bars } from '../charts/bars.tsx';
import { Share } from '../charts/share.tsx';
import { formatNumber, formatShare, plural } from '../format/format.ts';
import { Loaded } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { SampleCharts } from './sample-charts.tsx';
import { barsOf, ticksOf } from '../charts/periods.ts';

const LIVE_MS = 60_000;

type Account = CallOutput<'getSystemUsage'>['accounts'][number];

function columnsOf(most: number): readonly PlainColumn<Account>[] {
  return [
    { header: 'Account', cell: ({ id, name }) => <span title={id}>{name}</span> },
    {
      header: 'Pages',
      align: 'right',
      cell: ({ succeeded, failed }) => (
        <Share of={(succeeded + failed) / most}>{formatNumber(succeeded + failed)}</Share>
      ),
    },
    {
      header: 'Succeeded',
      align: 'right',
      className: 'soft',
      cell: ({ succeeded, failed }) => formatShare(succeeded, succeeded + failed),
    },
    { header: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
  ];
}

/** What all accounts read in the last day: pages by hour and outcome, and which accounts read most. */
export function DayCharts() {
  const query = useQuery({ ...operationQuery('getSystemUsage', {}), refetchInterval: LIVE_MS });
  const now = useMemo(() => Date.now(), []);
  return (
    <Loaded query={query} what="the pages of the last day">
      {({ hours, accounts, samples }) => {
        const bars = barsOf(
          hours.map(({ from, ...pages }) => ({ from, pages: { ...pages, unchanged: 0 } })),
          'day',
          now,
        );
        const good = bars.reduce((sum, bar) => sum + bar.good, 0);
        const bad = bars.reduce((sum, bar) => sum + bar.bad, 0);
        const [first] = accounts;
        return (
          <>
            <section className="section stack tight" aria-label="Pages an hour">
              <h2>Pages an hour</h2>
              {first === undefined ? (
                <p className="soft">No page was read in 24 hours.</p>
              ) : (
                <>
                  <p className="soft small">
                    {formatShare(good, good + bad)} of {plural(good + bad, 'page')} succeeded in 24 hours.
                  </p>
                  <Bars
                    label={`Pages an hour in 24 hours: ${formatNumber(good)} succeeded, ${formatNumber(bad)} failed`}
                    bars={bars}
                    ticks={ticksOf('day', now)}
                  />
                  <PlainTable
                    label="Pages by account"
                    rows={accounts}
                    rowKey={({ id }) => id}
                    columns={columnsOf(first.succeeded + first.failed)}
                  />
                </>
              )}
            </section>
            <SampleCharts samples={samples} now={now} />
          </>
        );
      }}
    </Loaded>
  );
}
