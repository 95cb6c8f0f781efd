import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { burnByDay, lastDays, type Day } from '../account/burn.ts';
import { operationQuery } from '../api/call.ts';

/** The days from which the pace is taken. */
const PACE_DAYS = 7;

interface Pace {
  /** Undefined until they are read. */
  balance: number | undefined;
  days: Day[] | undefined;
  error: Error | null;
}

/** The balance, and what was used on each of the last days. */
export function usePace(): Pace {
  const credits = useQuery(operationQuery('getCredits', {}));
  const dates = useMemo(() => lastDays(PACE_DAYS, Date.now()), []);
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  const from = dates[0]?.toISOString();
  const usage = useQuery(
    operationQuery('getUsage', { query: { group_by: 'day', from, timezone, limit: PACE_DAYS } }),
  );
  return {
    balance: credits.data?.creditBalance,
    days: usage.data && burnByDay(usage.data.usage, dates),
    error: credits.error ?? usage.error,
  };
}
