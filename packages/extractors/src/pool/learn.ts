import type { ParserSchema } from '@gleaner/contracts';
import { ExtractionStopped, PageRejected } from '@gleaner/html';
import type { PageOutline } from '../outline/types.ts';
import type { Page } from '../page.ts';
import type { RepairPage, RepairProposal } from '../suggest/repair.ts';
import type { Suggestion, SuggestPage } from '../suggest/types.ts';

/** What learning from pages gives, or why the pages could not be read. */
export type Learned<T> = { ok: true; value: T } | { ok: false; detail: string };

/** Pages past the engine's limits are a result, not a fault of ours. */
async function learn<T>(work: () => Promise<T>): Promise<Learned<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const isThePages =
      error instanceof PageRejected || error instanceof ExtractionStopped || error instanceof RangeError;
    if (!isThePages) throw error;
    return { ok: false, detail: `a page can't be read: ${error.message}` };
  }
}

/** The code that learns is loaded when first needed: most threads only extract. */
export function suggestInThread(pages: readonly SuggestPage[]): Promise<Learned<Suggestion>> {
  return learn(async () => {
    const { suggestSchema } = await import('../suggest/suggest.ts');
    return suggestSchema(pages);
  });
}

export function outlineInThread(page: Page, maxCharacters: number): Promise<Learned<PageOutline>> {
  return learn(async () => {
    const { outlinePage } = await import('../outline/outline-page.ts');
    return outlinePage(page, maxCharacters);
  });
}

export function repairInThread(
  schema: ParserSchema,
  pages: readonly RepairPage[],
): Promise<Learned<RepairProposal>> {
  return learn(async () => {
    const { proposeRepair } = await import('../suggest/repair.ts');
    return proposeRepair(schema, pages);
  });
}
