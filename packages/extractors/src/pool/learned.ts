import { ExtractionStopped, PageRejected } from '@gleaner/html';

/** What learning from pages gives, or why the pages could not be read. */
export type Learned<T> = { ok: true; value: T } | { ok: false; detail: string };

/** Pages past the engine's limits are a result, not a fault of ours. */
export async function learn<T>(work: () => Promise<T>): Promise<Learned<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const isThePages =
      error instanceof PageRejected || error instanceof ExtractionStopped || error instanceof RangeError;
    if (!isThePages) throw error;
    return { ok: false, detail: `a page can't be read: ${error.message}` };
  }
}
