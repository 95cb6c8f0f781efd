import { queryOptions } from '@tanstack/react-query';
import { call, client, type CallOutput } from './call.ts';

/** A key of the account: enough to recognise it, not to use it. */
export type Key = CallOutput<'getKey'>;

export const keysQuery = queryOptions({
  queryKey: ['listKeys'],
  queryFn: async ({ signal }) => {
    const keys: Key[] = [];
    for await (const key of client.keys.list({ limit: 100 }, { signal })) keys.push(key);
    return keys;
  },
});

/** Only this answer contains the key. @throws GleanerError */
export function createKey(name: string): Promise<CallOutput<'createKey'>> {
  return call('createKey', { body: { name } });
}

/** @throws GleanerError */
export function revokeKey(id: string): Promise<void> {
  return call('deleteKey', { params: { id } });
}
