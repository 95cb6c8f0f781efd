import type { PageDocument, TreeElement } from '@gleaner/html';
import type { Choice } from './choice.ts';
import { toBlocks } from './to-nodes.ts';
import { writeMarkdown } from './write-markdown.ts';

const AS_SHOWN: Choice = { without: new Set(), revealed: new Set() };

/**
 * Writes the elements as Markdown: CommonMark with tables, struck text and check boxes, and links resolved against `base`. Takes time linear in the
 * page. Lists and quotes nest at most a dozen levels.
 */
export function markdownOf(
  document: PageDocument,
  elements: readonly TreeElement[],
  base: string | undefined,
  choice = AS_SHOWN,
): string {
  return writeMarkdown(toBlocks(document, elements, base, choice));
}
