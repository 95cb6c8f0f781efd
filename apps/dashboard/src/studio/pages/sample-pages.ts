import { call, type CallOutput } from '../../api/call.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { storePage } from './page-store.ts';

/** Samples that are loaded when a parser is opened: the latest, of at most 50. The others are offered by name. */
const LOADED_SAMPLES = 10;
/** The API keeps no larger page as a sample. */
const MAX_SAMPLE_LENGTH = 4 * 1024 * 1024;

interface AddSamplesInput {
  owner: string;
  /** Pages that this browser has already. */
  known: readonly KeptPage[];
  show: (pages: readonly KeptPage[]) => void;
  signal: AbortSignal;
}

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

/**
 * Adds the latest samples of a parser that this browser doesn't have yet.
 * @returns the others, which are opened one by one
 * @throws GleanerError
 */
export async function addSamples(
  parserId: string,
  { owner, known, show, signal }: AddSamplesInput,
): Promise<Sample[]> {
  const { samples } = await call('listParserSamples', { params: { id: parserId } }, { signal });
  const isMissing = ({ id }: Sample): boolean => known.every((page) => page.sampleId !== id);
  for (const sample of samples.slice(0, LOADED_SAMPLES).filter(isMissing)) {
    const page = await openSample(parserId, sample, signal);
    show([page]);
    await storePage(owner, page).catch(() => undefined);
  }
  return samples.slice(LOADED_SAMPLES).filter(isMissing);
}

/** Keeps the pages of a saved parser on the service, so that they are there in every browser. */
export async function keepAsSamples(
  parserId: string,
  pages: readonly KeptPage[],
  onKept: (page: KeptPage) => Promise<void>,
): Promise<void> {
  for (const page of pages) {
    const { html, url, sampleId } = page;
    if (sampleId !== undefined || html.length > MAX_SAMPLE_LENGTH) continue;
    const body = { html, ...(url === '' ? {} : { url }) };
    // Without it the page is in this browser alone; a parser has 50 at most.
    const sample = await call('createParserSample', { params: { id: parserId }, body }).catch(
      () => undefined,
    );
    if (sample !== undefined) await onKept({ ...page, sampleId: sample.id });
  }
}
