import { queryOptions } from '@tanstack/react-query';
import { send } from './call.ts';

export interface Session {
  account: { id: string; name: string };
  key: { id: string; name: string; shown: string };
  is_operator: boolean;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session> => (await send('/session')).json() as Promise<Session>,
  staleTime: 60_000,
  retry: false,
});

async function post(path: string, body: unknown): Promise<void> {
  await send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
}

/** @throws GleanerError when the key or link is not valid */
export async function signIn(proof: { api_key: string } | { link: string }): Promise<void> {
  await post('/session', proof);
}

export async function signOut(): Promise<void> {
  await send('/session', { method: 'DELETE' });
}

export async function signInOperator(password: string): Promise<void> {
  await post('/session/operator', { password });
}

export async function signOutOperator(): Promise<void> {
  await send('/session/operator', { method: 'DELETE' });
}
