import { call } from '../../api/call.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { storePage } from './page-store.ts';

/** Samples that are loaded when a parser is opened: the latest, of at most 50. */
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

/** Adds the samples of a parser that this browser doesn't have yet. @throws GleanerError */
export async function addSamples(
  parserId: string,
  { owner, known, show, signal }: AddSamplesInput,
): Promise<void> {
  const params = { id: parserId };
  const { samples } = await call('listParserSamples', { params }, { signal });
  const missing = samples
    .slice(0, LOADED_SAMPLES)
    .filter(({ id }) => known.every((page) => page.sampleId !== id));
  for (const { id, url, created_at: fetchedAt } of missing) {
    const { html } = await call('getParserSample', { params: { ...params, sample: id } }, { signal });
    const page: KeptPage = { id, url: url ?? '', html, fetchedAt, sampleId: id };
    show([page]);
    await storePage(owner, page).catch(() => undefined);
  }
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
