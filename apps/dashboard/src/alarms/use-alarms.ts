import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import type { Alarm } from './alarms.ts';

const LIVE_MS = 4_000;

const NONE: readonly Alarm[] = [];

/**
 * The alarms of the account; none until they are read.
 * @param isLive reads them again every few seconds, for all who use them: the frame does
 */
export function useAlarms({ isLive = false } = {}): readonly Alarm[] {
  const query = useQuery({
    ...operationQuery('listAlarms', {}),
    staleTime: LIVE_MS,
    refetchInterval: isLive ? LIVE_MS : false,
    refetchOnMount: false,
  });
  return query.data?.alarms ?? NONE;
}
