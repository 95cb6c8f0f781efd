import { queryOptions, useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import type { Alarm } from './alarms.ts';

const LIVE_MS = 4_000;

const NONE: readonly Alarm[] = [];

export const alarmsQuery = queryOptions({
  ...operationQuery('listAlarms', {}),
  staleTime: LIVE_MS,
  refetchOnMount: false,
});

/**
 * The alarms of the account; none until they are read.
 * @param isLive reads them again every few seconds, for all who use them: the frame does
 */
export function useAlarms({ isLive = false } = {}): readonly Alarm[] {
  const { data } = useQuery({ ...alarmsQuery, refetchInterval: isLive ? LIVE_MS : false });
  return data?.alarms ?? NONE;
}
