import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { operationQuery } from '../api/call.ts';
import { formatNumber, formatShare, plural } from '../format/format.ts';
import { Loaded } from '../parts/page.tsx';
import { barsOf, PERIODS, stepsOf, ticksOf } from './periods.ts';
import { Bars } from './bars.tsx';

interface PagesByDayProps {
  /** Whose pages. */
  of: { parser: string } | { cron: string };
}

/** The pages of a parser or a cron on each of the last thirty days, and how many of them succeeded. */
export function PagesByDay({ of }: PagesByDayProps) {
  const now = useMemo(() => Date.now(), []);
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const from = new Date(stepsOf('month', now)[0] ?? now).toISOString();
  const query = useQuery(
    operationQuery('getUsage', {
      query: { ...of, group_by: 'day', from, timezone, limit: PERIODS.month.steps },
    }),
  );
  return (
    <section aria-label="Pages a day" className="stack tight">
      <h2>Pages a day</h2>
      <Loaded query={query} what="the pages">
        {({ usage }) => {
          const bars = barsOf(usage, 'month', now);
          const good = bars.reduce((sum, bar) => sum + bar.good, 0);
          const bad = bars.reduce((sum, bar) => sum + bar.bad, 0);
          const credits = usage.reduce((sum, day) => sum + day.credits, 0);
          if (good + bad === 0) return <p className="small soft">No page was read in 30 days.</p>;
          return (
            <>
              <p className="small soft">
                {formatShare(good, good + bad)} of {plural(good + bad, 'page')} succeeded in 30 days, for{' '}
                {plural(credits, 'credit')}.
              </p>
              <Bars
                label={`Pages a day in 30 days: ${formatNumber(good)} succeeded, ${formatNumber(bad)} failed`}
                bars={bars}
                ticks={ticksOf('month', now)}
              />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
