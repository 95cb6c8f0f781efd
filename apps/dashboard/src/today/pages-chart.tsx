import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { Bars } from '../charts/bars.tsx';
import { formatNumber, localText, plural } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { Loaded } from '../parts/page.tsx';
import { barsOf, PERIODS, stepsOf, ticksOf, type Period } from '../charts/periods.ts';
import styles from './today.module.css';

type Usage = CallOutput<'getUsage'>['usage'][number];

const PAGE_SIZE = 100;
const LIVE_MS = 30_000;

/** All of a period: a week of hours takes two calls. */
async function readUsage(period: Period, from: string, signal: AbortSignal): Promise<Usage[]> {
  const { group, steps } = PERIODS[period];
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const all: Usage[] = [];
  let cursor: string | undefined;
  do {
    const query = { group_by: group, from, timezone, limit: PAGE_SIZE, cursor };
    const { usage, pagination } = await call('getUsage', { query }, { signal });
    all.push(...usage);
    cursor = pagination.cursor ?? undefined;
  } while (cursor !== undefined && all.length <= steps);
  return all;
}

interface LegendProps {
  good: number;
  bad: number;
  /** The first day, as `2026-03-05`. */
  since: string;
}

/** What the colours mean, with their sums; each leads to the runs. */
function Legend({ good, bad, since }: LegendProps) {
  if (good + bad === 0) return <p className="soft small">No page was read in this time.</p>;
  return (
    <p className={`row wrap small ${styles.legend}`}>
      <Link to="/runs" search={{ from: since }}>
        <i className={styles.good} /> {plural(good, 'page')} succeeded
      </Link>
      <Link to="/runs" search={{ from: since, status: 'with_failures' }}>
        <i className={styles.failed} /> {formatNumber(bad)} failed
      </Link>
    </p>
  );
}

/** Pages by hour or day and outcome, of the period in the address. */
export function PagesChart() {
  const { period = 'day' } = useSearch({ from: '/app/' });
  const navigate = useNavigate({ from: '/' });
  // The bars stay where they are until the page is opened again, or another period is chosen.
  const now = useMemo(() => ({ period, at: Date.now() }).at, [period]);
  const from = new Date(stepsOf(period, now)[0] ?? now).toISOString();
  const query = useQuery({
    queryKey: ['getUsage', 'pages', period, from],
    queryFn: ({ signal }) => readUsage(period, from, signal),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
  const word = PERIODS[period].group === 'hour' ? 'an hour' : 'a day';
  const since = localText(Date.parse(from)).slice(0, 10);
  return (
    <section aria-label="Pages" className="stack tight">
      <div className="row wrap">
        <h2>Pages {word}</h2>
        <span className="grow" />
        <SegmentedControl
          aria-label="Period"
          data={choicesOf(PERIODS)}
          value={period}
          onChange={(next) =>
            void navigate({ search: next === 'day' ? {} : { period: next }, replace: true })
          }
        />
      </div>
      <Loaded query={query} what="the pages">
        {(usage) => {
          const bars = barsOf(usage, period, now);
          const good = bars.reduce((sum, bar) => sum + bar.good, 0);
          const bad = bars.reduce((sum, bar) => sum + bar.bad, 0);
          const label = `Pages ${word} in ${PERIODS[period].label}: ${formatNumber(good)} succeeded, ${formatNumber(bad)} failed`;
          return (
            <>
              <Legend good={good} bad={bad} since={since} />
              <Bars label={label} bars={bars} ticks={ticksOf(period, now)} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
