import type { ScrapeConfig } from '@gleaner/client';
import type { KeptPage } from '../studio/extraction/protocol.ts';
import { storePage } from '../studio/pages/page-store.ts';
import type { Draft } from '../studio/schema/draft.ts';
import { createDraftId, keepUnsaved, workKeyOf } from '../studio/work/unsaved.ts';

/**
 * Begins a parser on a page that was fetched elsewhere in the dashboard, so that opening it costs nothing.
 * @returns its name in the studio's address
 */
export async function beginParser(
  accountId: string,
  { page, draft, config }: { page: KeptPage; draft: Draft; config: ScrapeConfig },
): Promise<string> {
  const name = createDraftId();
  const owner = `${accountId}/${name}`;
  // A full disk costs the page: the studio asks for it again.
  await storePage(owner, page).catch(() => undefined);
  keepUnsaved(workKeyOf(owner), { name: '', draft, config });
  return name;
}
