import { call, type CallOutput } from '../../api/call.ts';
import type { KeptPage } from '../extraction/protocol.ts';

export type Sample = Pick<CallOutput<'listParserSamples'>['samples'][number], 'id' | 'url' | 'created_at'>;

/** Reads the page of a sample. @throws GleanerError */
export async function openSample(
  parserId: string,
  { id, url, created_at: fetchedAt }: Sample,
  signal?: AbortSignal,
): Promise<KeptPage> {
  const { html } = await call('getParserSample', { params: { id: parserId, sample: id } }, { signal });
  return { id, url: url ?? '', html, fetchedAt, sampleId: id };
}

/** Makes a page a sample of a parser. @throws GleanerError */
export function createSample(parserId: string, { html, url }: KeptPage, expected?: 'current') {
  const body = { html, ...(url === '' ? {} : { url }), ...(expected && { expected }) };
  return call('createParserSample', { params: { id: parserId }, body });
}
