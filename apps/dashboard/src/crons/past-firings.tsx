import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listQuery } from '../api/queries.ts';
import { FiringCalendar } from './firing-calendar.tsx';
import { FiringTable } from './firing-table.tsx';

const LIVE_MS = 5_000;
/** Pages of firings that the calendar reads on its own: a cron of every five minutes has many. */
const CALENDAR_PAGES = 5;

/** The firings of a cron: a calendar of the last weeks, and a table. */
export function PastFirings({ cronId, zone }: { cronId: string; zone: string }) {
  const firings = useInfiniteQuery({
    ...listQuery('listCronRuns', { params: { id: cronId } }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
  const { hasNextPage, isFetching, fetchNextPage, data } = firings;
  const pageCount = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && pageCount < CALENDAR_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetching, pageCount, fetchNextPage]);
  const rows = data?.pages.flatMap(({ runs }) => runs) ?? [];
  return (
    <section aria-label="Past firings" className="stack">
      <h2>Past firings</h2>
      <FiringCalendar firings={rows} zone={zone} />
      <FiringTable
        firings={rows}
        isReading={firings.isPending}
        more={hasNextPage && pageCount >= CALENDAR_PAGES ? () => void fetchNextPage() : undefined}
      />
    </section>
  );
}
