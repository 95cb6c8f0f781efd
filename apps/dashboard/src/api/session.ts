import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

export const sessionQuery = queryOptions({
  queryKey: ['getSession'],
  queryFn: () => call('getSession', {}),
  staleTime: 60_000,
  retry: false,
});
