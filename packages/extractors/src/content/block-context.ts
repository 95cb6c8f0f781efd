import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  elementsByTag,
  parentElement,
  textOf,
} from '@gleaner/html';
import type { PageSums } from './page-sums.ts';

export const TAGS =
  'nav header footer aside form main article section table ul ol dl blockquote figure pre details label button a li td dd'.split(
    ' ',
  );
const TAG_BITS = new Map(TAGS.map((tag, index) => [tag, 1 << index]));
/** Tags and names of a part that holds more of the page's text say nothing: some sites call their whole page `sidebar`. */
const MOST_TEXT = 0.7;

export function valueAt(sums: ArrayLike<number>, order: number): number {
  return sums[order] ?? 0;
}

function kindOf(document: PageDocument): number {
  const type = elementsByTag(document, 'meta').find((meta) => attributeOf(meta, 'property') === 'og:type');
  const content = (type && attributeOf(type, 'content')) ?? '';
  return /article/i.test(content) ? 1 : /product/i.test(content) ? 2 : 0;
}

function holds(outer: TreeElement, inner: TreeElement | undefined): boolean {
  return inner !== undefined && outer.order <= inner.order && inner.order <= outer.lastOrder;
}

function hubOf({ elements }: PageDocument, { top, prose, shown }: PageSums): TreeElement {
  const least = 0.5 * valueAt(prose, top.order);
  if (least === 0) return top;
  let hub = top;
  for (const element of elements.slice(top.order, top.lastOrder + 1)) {
    if (valueAt(shown, element.order) === 1 && valueAt(prose, element.order) >= least) hub = element;
  }
  return hub;
}

/** Where each element stands, by its order. −1 stands for no element. */
export type Context = ReturnType<typeof emptyContext>;

function emptyContext(document: PageDocument, sums: PageSums) {
  const count = document.elements.length;
  const noElements = (): Int32Array => new Int32Array(count).fill(-1);
  const [title] = elementsByTag(document, 'title');
  return {
    document,
    sums,
    /** Blocks with text, in document order. */
    blocks: [] as TreeElement[],
    /** Bits of tags and of names of the element and those around it. */
    tags: new Uint32Array(count),
    names: new Uint32Array(count),
    /** The next element around it that holds more text. */
    wider: noElements(),
    /** The outermost element in a row of similar ones that it is or stands in. */
    row: noElements(),
    depth: new Uint32Array(count),
    /** The closest element that also holds the page's `<h1>`. */
    withHeading: noElements(),
    /** The closest element that also holds most paragraphs. */
    withHub: noElements(),
    heading: elementsByTag(document, 'h1').find(
      ({ order }) => valueAt(sums.shown, order) === 1 && valueAt(sums.text, order) > 2,
    ),
    /** The innermost element that holds most paragraphs. */
    hub: hubOf(document, sums),
    /** How often each block's text stands on the page. */
    repeats: new Map<string, number>(),
    title: title === undefined ? '' : textOf(document, title).toLowerCase(),
    /** 1 for an article, 2 for a product, as the page calls itself. */
    kind: kindOf(document),
  };
}

/** Reads where the page's blocks stand. Every element is seen after those around it. */
export function contextOf(document: PageDocument, sums: PageSums): Context {
  const context = emptyContext(document, sums);
  const { tags, names, wider, row, depth, withHeading, withHub, heading, hub, repeats } = context;
  const { top, text } = sums;
  const most = MOST_TEXT * valueAt(text, top.order);
  for (let order = top.order; order <= top.lastOrder; order += 1) {
    const element = document.elements[order];
    if (element === undefined || valueAt(sums.shown, order) === 0) continue;
    const isPart = valueAt(text, order) <= most;
    const { localName } = element;
    const isNamed = isPart || localName === 'article' || localName === 'main';
    const parent = element === top ? undefined : parentElement(element)?.order;
    const from = parent ?? order;
    tags[order] = valueAt(tags, from) | (isNamed ? (TAG_BITS.get(localName) ?? 0) : 0);
    names[order] = valueAt(names, from) | (isPart ? valueAt(sums.names, order) : 0);
    const isRow = valueAt(sums.run, order) > 0;
    withHeading[order] = holds(element, heading) ? order : valueAt(withHeading, from);
    withHub[order] = holds(element, hub) ? order : valueAt(withHub, from);
    row[order] = valueAt(row, from) >= 0 ? valueAt(row, from) : isRow ? order : -1;
    if (parent !== undefined) {
      wider[order] = valueAt(text, parent) > valueAt(text, order) ? parent : valueAt(wider, parent);
      depth[order] = valueAt(depth, parent) + 1;
    }
    const own = sums.own[order];
    if (own === undefined) continue;
    context.blocks.push(element);
    repeats.set(own, (repeats.get(own) ?? 0) + 1);
  }
  return context;
}
