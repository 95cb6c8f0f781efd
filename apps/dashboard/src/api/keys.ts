import { queryOptions } from '@tanstack/react-query';
import { send } from './call.ts';

/** A key of the account: enough to recognise it, not to use it. */
export interface Key {
  id: string;
  name: string;
  shown: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async (): Promise<Key[]> => {
    const { keys } = (await (await send('/session/keys')).json()) as { keys: Key[] };
    return keys;
  },
});

/** Only this answer contains the key. @throws GleanerError */
export async function createKey(name: string): Promise<Key & { api_key: string }> {
  const response = await send('/session/keys', {
    method: 'POST',
    body: JSON.stringify({ name }),
    headers: { 'content-type': 'application/json' },
  });
  return (await response.json()) as Key & { api_key: string };
}

/** @throws GleanerError */
export async function revokeKey(id: string): Promise<void> {
  await send(`/session/keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
