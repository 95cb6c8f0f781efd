import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { KeptPage } from './extraction/protocol.ts';

/** Keeps a page of the studio as a sample, with all values pinned as the saved version reads them. */
export function useKeepSample(parserId: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ html, url }: KeptPage) => {
      if (parserId === undefined) throw new Error('the parser is not saved yet');
      return call('createParserSample', {
        params: { id: parserId },
        body: { html, expected: 'current', ...(url === '' ? {} : { url }) },
      });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['listParserSamples'] }),
  });
}
