import { type PageDocument, type TreeElement, isElement, parentElement } from '@gleaner/html';
import { contextOf, valueAt } from './block-context.ts';
import { blocksOf } from './block-features.ts';
import { type DecisionTrees, probabilityOf, readTrees } from './decision-trees.ts';
import { CONTENT_TREES } from './generated/content-trees.ts';
import { measurePage, type PageSums } from './page-sums.ts';

/** The main content of a page, without navigation and other surroundings. */
export interface MainContent {
  /** In document order; none contains another. */
  elements: TreeElement[];
  /** Elements inside them that are left out. */
  without: ReadonlySet<TreeElement>;
}

const TREES = readTrees(CONTENT_TREES);
/** Blocks that are content with a smaller probability would lower the share of content in what is kept. */
const LEAST_PROBABILITY = 0.38;
const LEAST_LENGTH = 2;

/** What keeping an element is worth, by its order: lengths of text times how sure it is. */
interface Worth {
  /** Of its own text. */
  readonly own: Float64Array;
  /** With all that is inside, good or bad. */
  readonly whole: Float64Array;
  /** With those parts inside that are worth it. */
  readonly inside: Float64Array;
  /** Of the parts inside without the element around them. */
  readonly parts: Float64Array;
}

function worthOf(document: PageDocument, sums: PageSums, trees: DecisionTrees): Worth {
  const numbers = (): Float64Array => new Float64Array(document.elements.length);
  const worth: Worth = { own: numbers(), whole: numbers(), inside: numbers(), parts: numbers() };
  for (const { element, text, features } of blocksOf(contextOf(document, sums))) {
    const surplus = probabilityOf(trees, features) - LEAST_PROBABILITY;
    worth.own[element.order] = Math.max(text.length, LEAST_LENGTH) * surplus;
  }
  const { own, whole, inside, parts } = worth;
  for (let { lastOrder: order } = sums.top; order >= sums.top.order; order -= 1) {
    const element = document.elements[order];
    if (element === undefined || valueAt(sums.shown, order) === 0) continue;
    whole[order] = valueAt(whole, order) + valueAt(own, order);
    inside[order] = valueAt(inside, order) + valueAt(own, order);
    const parent = element === sums.top ? undefined : parentElement(element)?.order;
    if (parent === undefined) continue;
    whole[parent] = valueAt(whole, parent) + valueAt(whole, order);
    inside[parent] = valueAt(inside, parent) + Math.max(0, valueAt(inside, order));
    parts[parent] = valueAt(parts, parent) + Math.max(valueAt(inside, order), valueAt(parts, order));
  }
  return worth;
}

function* shownInside(element: TreeElement, { shown }: PageSums): Generator<TreeElement> {
  for (let node = element.first; node !== null; node = node.next)
    if (isElement(node) && valueAt(shown, node.order) === 1) yield node;
}

/**
 * Finds the main content of a page. Decision trees, trained on pages whose content people marked, say of each block how
 * likely it is content; the parts of the page that gain most from it are kept. Takes one pass over any page.
 */
export function mainContentOf(document: PageDocument, trees = TREES): MainContent {
  const sums = measurePage(document);
  const elements: TreeElement[] = [];
  const without = new Set<TreeElement>();
  if (sums === undefined) return { elements, without };
  const { own, whole, inside, parts } = worthOf(document, sums, trees);
  const leaveOut = (element: TreeElement): void => {
    for (const part of shownInside(element, sums)) {
      const { order } = part;
      // What has no text, as an image, follows the part around it.
      const isKept =
        valueAt(sums.blocks, order) > 0 ? valueAt(inside, order) > 0 : valueAt(whole, element.order) > 0;
      if (isKept) leaveOut(part);
      else without.add(part);
    }
  };
  const keep = (element: TreeElement): void => {
    const { order } = element;
    const kept = [...shownInside(element, sums)].filter(
      (part) => valueAt(inside, part.order) > 0 || valueAt(parts, part.order) > 0,
    );
    if (valueAt(inside, order) >= valueAt(parts, order) && (valueAt(own, order) > 0 || kept.length > 1)) {
      elements.push(element);
      leaveOut(element);
    } else for (const part of kept) keep(part);
  };
  keep(sums.top);
  return elements.length === 0 ? { elements: [sums.top], without } : { elements, without };
}
