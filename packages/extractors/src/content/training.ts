import { decodeHtml, parseHtml } from '@gleaner/html';
import { contextOf } from './block-context.ts';
import { visitBlocks } from './block-features.ts';
import { createJudge } from './decision-trees.ts';
import { mainContentOf } from './main-content.ts';
import { markdownOf } from './markdown.ts';
import { measurePage } from './page-sums.ts';

/** A block of a page with what is known of it. */
export interface ContentBlock {
  text: string;
  features: number[];
}

/** The blocks of a page, for those who train the trees. */
export function contentBlocksOf(body: Uint8Array): ContentBlock[] {
  const document = parseHtml(decodeHtml(body, undefined).text);
  const sums = measurePage(document);
  const blocks: ContentBlock[] = [];
  if (sums === undefined) return blocks;
  visitBlocks(contextOf(document, sums), (_element, text, features) => {
    blocks.push({ text, features: features.copy() });
  });
  return blocks;
}

/** Reads the main content of pages as Markdown by trees that `createJudge` reads, to measure those that are not kept. */
export function createContentReader(trees: string): (body: Uint8Array) => string {
  const judge = createJudge(trees);
  return (body) => {
    const document = parseHtml(decodeHtml(body, undefined).text);
    const content = mainContentOf(document, judge);
    return markdownOf(document, content.elements, undefined, content);
  };
}
