import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { KeptPage } from './extraction/protocol.ts';

/** Keeps a page of the studio as a sample, with all values pinned as the saved version reads them. */
export function useKeepSample(parserId: string | undefined, onKept: (page: KeptPage) => Promise<void>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ html, url, sampleId }: KeptPage) => {
      if (parserId === undefined) throw new Error('the parser is not saved yet');
      const expected = 'current' as const;
      if (sampleId !== undefined)
        return call('updateParserSample', { params: { id: parserId, sample: sampleId }, body: { expected } });
      const body = { html, expected, ...(url === '' ? {} : { url }) };
      return call('createParserSample', { params: { id: parserId }, body });
    },
    onSuccess: async ({ id }, page) => {
      await onKept({ ...page, sampleId: id });
      await client.invalidateQueries({ queryKey: ['listParserSamples'] });
    },
  });
}
