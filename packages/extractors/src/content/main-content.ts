import { type PageDocument, type TreeElement, type TreeNode, isElement, isUnseen } from '@gleaner/html';
import { besideArticle } from './beside-article.ts';
import { contextOf, valueAt } from './block-context.ts';
import { visitBlocks } from './block-features.ts';
import { type Choice, LEFT_OUT } from './choice.ts';
import { createJudge } from './decision-trees.ts';
import { CONTENT_TREES } from './generated/content-trees.ts';
import { measurePage, type PageSums } from './page-sums.ts';

/** The main content of a page, without navigation and other surroundings. */
export interface MainContent extends Choice {
  /** The element that holds all of it; none of a page that is empty. */
  elements: TreeElement[];
}

const JUDGE = createJudge(CONTENT_TREES);
const LEAST_LENGTH = 2;

/** Half would be best if the trees knew how sure they are; they are a little too sure. */
const CAUTION = 0.55;

/** A block's length, and the part of it that is likely content. */
interface Likely {
  readonly order: number;
  readonly length: number;
  readonly content: number;
}

/**
 * The probability from which on blocks are kept: where the F1 that is to be expected of the page is greatest. Each block
 * that is likelier content than half of that F1 raises it, so of a page that is hard to judge more is kept.
 */
function leastProbability(blocks: readonly Likely[]): number {
  const sorted = blocks.toSorted((a, b) => b.content / b.length - a.content / a.length);
  const wanted = blocks.reduce((sum, { content }) => sum + content, 0);
  let [most, length, content] = [0, 0, 0];
  for (const block of sorted) {
    length += block.length;
    content += block.content;
    most = Math.max(most, (2 * content) / (length + wanted));
  }
  return CAUTION * most;
}

/** What keeping each element's own text is worth, and keeping all that is inside: lengths times how sure it is. */
interface Worth {
  readonly own: Float64Array;
  readonly whole: Float64Array;
  /** Whether anything inside is worth it. */
  readonly isKept: Uint8Array;
}

/** How likely content the cells of a table of data are at least, where the page says that it is content. */
const SUPPORTED = 0.25;
const LEAST_CELLS = 4;
const LONGEST_CELL = 150;

/** 1 for elements in tables of data in the page's own `<main>` or `<article>`: several short cells, few links. */
function dataTables(document: PageDocument, sums: PageSums): Uint8Array {
  const inTable = new Uint8Array(document.elements.length);
  let lastOfMain = -1;
  for (const { localName, order, lastOrder } of document.elements) {
    if ((localName === 'main' || localName === 'article') && lastOfMain < order) lastOfMain = lastOrder;
    if (localName !== 'table' || order > lastOfMain || inTable[order] === 1) continue;
    const length = valueAt(sums.text, order);
    const blocks = valueAt(sums.blocks, order);
    const isData =
      blocks >= LEAST_CELLS &&
      length <= LONGEST_CELL * blocks &&
      valueAt(sums.links, order) < 0.3 * length &&
      valueAt(sums.controls, order) === 0;
    if (isData) inTable.fill(1, order, lastOrder + 1);
  }
  return inTable;
}

function worthOf(document: PageDocument, sums: PageSums, judge: typeof JUDGE): Worth {
  const count = document.elements.length;
  const worth: Worth = {
    own: new Float64Array(count),
    whole: new Float64Array(count),
    isKept: new Uint8Array(count),
  };
  const blocks: Likely[] = [];
  const inTable = dataTables(document, sums);
  const beside = besideArticle(document, sums);
  visitBlocks(contextOf(document, sums), ({ order }, text, { values }) => {
    const length = Math.max(text.length, LEAST_LENGTH);
    blocks.push({ order, length, content: beside[order] === 1 ? 0 : length * judge(values) });
  });
  const least = leastProbability(blocks);
  for (const { order, length, content } of blocks) {
    const isSupported = inTable[order] === 1 && content >= SUPPORTED * length;
    worth.own[order] = Math.max(content - length * least, isSupported ? 0.01 : -Infinity);
  }
  const { own, whole, isKept } = worth;
  for (let { lastOrder: order } = sums.top; order >= sums.top.order; order -= 1) {
    if (valueAt(sums.shown, order) === 0) continue;
    whole[order] = valueAt(whole, order) + valueAt(own, order);
    if (valueAt(own, order) > 0) isKept[order] = 1;
    const parent = document.elements[order]?.parent;
    if (order === sums.top.order || !isElement(parent)) continue;
    whole[parent.order] = valueAt(whole, parent.order) + valueAt(whole, order);
    if (isKept[order] === 1) isKept[parent.order] = 1;
  }
  return worth;
}

/**
 * Finds the main content of a page. Decision trees, trained on pages whose content people marked, say of each block how
 * likely it is content; those are kept that let most be right. Takes one pass over any page.
 */
export function mainContentOf(document: PageDocument, judge = JUDGE): MainContent {
  const sums = measurePage(document);
  const without = new Set<TreeNode>();
  const revealed = new Set<TreeElement>();
  if (sums === undefined) return { elements: [], without, revealed };
  const { own, whole, isKept } = worthOf(document, sums, judge);
  const visit = (element: TreeElement, block: TreeElement): void => {
    for (let node = element.first; node !== null; node = node.next) {
      if (!isElement(node)) {
        if (valueAt(own, block.order) <= 0) without.add(node);
        continue;
      }
      const { order } = node;
      if (valueAt(sums.shown, order) === 0) continue;
      const hides = isUnseen(node) || LEFT_OUT.has(node.localName);
      // What has no text, as an image, follows the part around it.
      const keeps =
        valueAt(sums.blocks, order) > 0
          ? isKept[order] === 1
          : valueAt(sums.text, order) > 0
            ? valueAt(own, block.order) > 0
            : valueAt(whole, element.order) > 0;
      // What hides and has no text is left out anyway, but for what a list or a picture says by it.
      if (!keeps) without.add(node);
      else if (hides && valueAt(sums.text, order) === 0) continue;
      else {
        if (hides) revealed.add(node);
        visit(node, sums.own[order] === undefined ? block : node);
      }
    }
  };
  if (isKept[sums.top.order] === 1) visit(sums.top, sums.top);
  return { elements: [sums.top], without, revealed };
}
