import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  isConcealed,
  isElement,
  isText,
  isUnseen,
  linesAround,
} from '@gleaner/html';
import { WITHIN_LINES } from './choice.ts';
import { CONCEALED, namesOf, UNSEEN_NAMES } from './element-names.ts';

const CONTROLS = new Set('input select textarea button option'.split(' '));
const IMAGES = new Set(['img', 'picture']);
/** A text this long outside links is a paragraph of prose. */
const PROSE_LENGTH = 80;
const ROW_LENGTH = 3;

/** What each element holds, by its order. */
export type PageSums = ReturnType<typeof emptySums>;

function emptySums(top: TreeElement, count: number) {
  const numbers = (): Float64Array => new Float64Array(count);
  return {
    /** The element that holds all that counts as the page. */
    top,
    /** 1 for elements that are shown, 2 for those that a script could show. */
    shown: new Uint8Array(count),
    /** Text directly in a block and its inline elements; undefined where there is none. */
    own: Array.from<string | undefined>({ length: count }),
    /** Length of the links in `own`. */
    ownLinks: numbers(),
    /** Lengths of all text, of links, and of paragraphs. */
    text: numbers(),
    links: numbers(),
    prose: numbers(),
    /** Counts of blocks with text, images, and controls of forms. */
    blocks: numbers(),
    images: numbers(),
    controls: numbers(),
    /** How many similar elements stand in a row here, from three on. */
    run: new Uint32Array(count),
    /** Bits of the groups of names that the element has. */
    names: new Uint32Array(count),
  };
}

function add(sum: Float64Array, at: number, value: number): void {
  sum[at] = (sum[at] ?? 0) + value;
}

function firstClass(element: TreeElement): string {
  const names = attributeOf(element, 'class') ?? '';
  const end = names.indexOf(' ');
  return end < 0 ? names : names.slice(0, end);
}

function finishRow(sums: PageSums, row: readonly TreeElement[]): void {
  if (row.length >= ROW_LENGTH) for (const { order } of row) sums.run[order] = row.length;
}

/** Whether the element's own text is judged alone. */
function isBlock(element: TreeElement, names: number): boolean {
  return linesAround(element) > 0 || WITHIN_LINES.has(element.localName) || (names & UNSEEN_NAMES) !== 0;
}

function addText(sums: PageSums, at: number, block: number, data: string, inLink: boolean): void {
  const { own } = sums;
  const before = own[block];
  const length = data.trim().length;
  if (length > 0 || before !== undefined) own[block] = (before ?? '') + data;
  if (length === 0) return;
  add(sums.text, at, length);
  if (!inLink) return;
  add(sums.links, at, length);
  add(sums.ownLinks, block, length);
}

function finishBlock(sums: PageSums, at: number): void {
  const text = sums.own[at]?.replaceAll(/\s+/g, ' ').trim();
  if (text === undefined) return;
  sums.own[at] = text === '' ? undefined : text;
  if (text === '') return;
  add(sums.blocks, at, 1);
  const links = sums.ownLinks[at] ?? 0;
  if (text.length - links >= PROSE_LENGTH && links < 0.4 * text.length)
    add(sums.prose, at, text.length - links);
}

function measureInside(top: TreeElement, count: number): PageSums {
  const sums = emptySums(top, count);
  const passedUp = [sums.text, sums.links, sums.prose, sums.blocks, sums.images, sums.controls];
  const known = new Map<string, number>();
  const visit = (element: TreeElement, block: number, inLink: boolean, shown: number): void => {
    const at = element.order;
    sums.shown[at] = shown;
    let row: TreeElement[] = [];
    for (let node = element.first; node !== null; node = node.next) {
      if (isText(node)) addText(sums, at, block, node.data, inLink);
      if (!isElement(node)) continue;
      const isHidden = isUnseen(node);
      if (isHidden && !(isBlock(node, 0) && isConcealed(node))) continue;
      const { localName, order } = node;
      if (localName === 'br') addText(sums, at, block, ' ', inLink);
      if (IMAGES.has(localName)) add(sums.images, order, 1);
      if (CONTROLS.has(localName)) add(sums.controls, order, 1);
      const names = namesOf(node, known);
      const state = isHidden ? 2 : shown;
      sums.names[order] = state === 2 ? names | CONCEALED : names;
      const starts = isBlock(node, names);
      visit(node, starts ? order : block, inLink || localName === 'a', state);
      if (starts) finishBlock(sums, order);
      for (const sum of passedUp) add(sum, at, sum[order] ?? 0);
      const [first] = row;
      if (first?.localName === localName && firstClass(first) === firstClass(node)) row.push(node);
      else {
        finishRow(sums, row);
        row = [node];
      }
    }
    finishRow(sums, row);
  };
  sums.names[top.order] = namesOf(top, known);
  visit(top, top.order, false, 1);
  finishBlock(sums, top.order);
  return sums;
}

function lengthInside(element: TreeElement): number {
  let length = 0;
  for (let node = element.first; node !== null; node = node.next) {
    if (isText(node)) length += node.data.trim().length;
    else if (isElement(node) && !isUnseen(node)) length += lengthInside(node);
  }
  return length;
}

/** Hidden parts that scripts would show. */
const FILLED_IN = new Set(['noscript', 'div', 'main', 'section', 'article']);
const LEAST_FILLED_IN = 200;

/**
 * Measures the page's body. When the body shows little, because scripts would fill it, the part that they hide or that
 * stands in for them is measured instead.
 */
export function measurePage(document: PageDocument): PageSums | undefined {
  const { elements } = document;
  const body = elements.find(({ localName }) => localName === 'body');
  if (body === undefined) return undefined;
  const sums = measureInside(body, elements.length);
  let most = Math.max(LEAST_FILLED_IN, 2 * (sums.text[body.order] ?? 0));
  let longest: TreeElement | undefined;
  let last = body.order;
  for (const element of elements) {
    if (element.order <= last || element.order > body.lastOrder || !isUnseen(element)) continue;
    last = element.lastOrder;
    const length = FILLED_IN.has(element.localName) ? lengthInside(element) : 0;
    if (length <= most) continue;
    most = length;
    longest = element;
  }
  return longest === undefined ? sums : measureInside(longest, elements.length);
}
