import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

export const sessionQuery = queryOptions({
  queryKey: ['getSession'],
  queryFn: () => call('getSession', {}),
  staleTime: 60_000,
  retry: false,
});

/** @throws GleanerError when the key or link is not valid */
export function signIn(body: { api_key: string } | { link: string }): Promise<void> {
  return call('signIn', { body });
}

export function signOut(): Promise<void> {
  return call('signOut', {});
}

/** @throws GleanerError when it is not the operator's password */
export function signInOperator(password: string): Promise<void> {
  return call('signInOperator', { body: { password } });
}

export function signOutOperator(): Promise<void> {
  return call('signOutOperator', {});
}
