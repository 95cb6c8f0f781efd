import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** The next times at which a schedule fires. Those of the previous schedule stay until the new ones arrive. */
export function usePreview(schedule: string, timezone: string, options: { nextAt?: string | null } = {}) {
  return useQuery({
    queryKey: ['previewCron', schedule, timezone, options.nextAt],
    queryFn: ({ signal }) => call('previewCron', { body: { schedule, timezone } }, { signal }),
    enabled: schedule.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
}
