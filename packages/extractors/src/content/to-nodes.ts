import {
  type PageDocument,
  type TreeElement,
  type TreeNode,
  type TreeParent,
  attributeOf,
  isElement,
  isText,
  isUnseen,
  linesAround,
  resolveUrl,
} from '@gleaner/html';
import { holdsPicture, pictureAddressOf, sparePictures } from '../pictures/picture.ts';
import { type Choice, isLeftOut, WITHIN_LINES } from './choice.ts';
import { convertCode, convertInlineCode, convertShifted } from './code-nodes.ts';
import { type Around, type Conversion, type Convert, deeper, lineIn } from './conversion.ts';
import { checkBoxOf, convertList } from './list-nodes.ts';
import {
  BOUNDARY,
  PARAGRAPH,
  toFlow,
  toPhrasing,
  wrapRuns,
  type Block,
  type Item,
  type Phrasing,
} from './nodes.ts';
import { convertTable } from './table-nodes.ts';

/** Levels of nested lists, quotes and tables. Deeper ones are written without their structure. */
const MAX_NESTING = 12;

const MARKS = new Map<string, 'strong' | 'emphasis' | 'struck'>([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['i', 'emphasis'],
  ['em', 'emphasis'],
  ['cite', 'emphasis'],
  ['del', 'struck'],
  ['s', 'struck'],
  ['strike', 'struck'],
]);

function withMark({ nesting, marks }: Around, mark: string): Around {
  return { nesting, marks: new Set([...marks, mark]) };
}

function textNode(value: string): Phrasing {
  return { type: 'text', value };
}

const SCRIPT_LINK = /^(?:javascript|vbscript|data):/i;

function resolvedLink({ document, base }: Conversion, written: string): string | undefined {
  const url = resolveUrl(written, base, document.encoding);
  return url === undefined || SCRIPT_LINK.test(url) ? undefined : url;
}

function addressOf(conversion: Conversion, element: TreeElement, attribute: string): string | undefined {
  const written = attributeOf(element, attribute)?.trim();
  return written === undefined ? undefined : resolvedLink(conversion, written);
}

function titleOf(element: TreeElement): string {
  return lineIn(element, 'title');
}

function convertLink(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const url = around.marks.has('link') ? undefined : addressOf(conversion, element, 'href');
  if (url === undefined) {
    convertInside(conversion, element, around, out);
    return;
  }
  wrapRuns(conversion.inside(element, withMark(around, 'link')), out, (children) => ({
    type: 'link',
    url,
    title: titleOf(element),
    children,
  }));
}

function convertImage(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  if (element.localName === 'picture' && holdsPicture(element)) {
    convertInside(conversion, element, around, out);
    return;
  }
  const { document } = conversion;
  const written = pictureAddressOf(document, element);
  const url = written === undefined ? undefined : resolvedLink(conversion, written);
  if (url === undefined) return;
  const spare = sparePictures(document).of.get(element) ?? element;
  out.push({
    type: 'image',
    url,
    title: titleOf(element),
    alt: lineIn(element, 'alt') || lineIn(spare, 'alt'),
  });
}

/** A mark that is all that the same mark holds adds nothing to it. */
function isRepeated({ parent, prev, next }: TreeElement, mark: string): boolean {
  return isElement(parent) && MARKS.get(parent.localName) === mark && prev === null && next === null;
}

function convertQuote(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const children = toFlow(conversion.inside(element, deeper(around)));
  if (children.length > 0) out.push({ type: 'blockquote', children });
}

function convertHeading(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const children = toPhrasing(conversion.inside(element, around));
  if (children.length > 0) out.push({ type: 'heading', depth: Number(element.localName[1]), children });
}

/** How elements become nodes of their own. */
const SPECIAL = new Map<string, Convert>([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, convertHeading] as const),
  ...['code', 'kbd', 'samp', 'tt'].map((name) => [name, convertInlineCode] as const),
  ...['pre', 'listing', 'xmp'].map((name) => [name, convertCode] as const),
  ['sup', convertShifted],
  ['sub', convertShifted],
  ['br', (_conversion, _element, _around, out) => out.push({ type: 'break' })],
  ['hr', (_conversion, _element, _around, out) => out.push({ type: 'rule' })],
  ['a', convertLink],
  ...['img', 'picture', 'amp-img', 'amp-anim'].map((name) => [name, convertImage] as const),
]);

/** The same for elements that nest at most so deep. */
const NESTED = new Map<string, Convert>([
  ['ul', convertList],
  ['ol', convertList],
  ['menu', convertList],
  ['table', convertTable],
  ['blockquote', convertQuote],
]);

/** The node for an element that has one. False for all other elements: only their content is written. */
function convertSpecial(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): boolean {
  const { localName } = element;
  const mark = MARKS.get(localName);
  if (mark !== undefined && !isRepeated(element, mark) && !around.marks.has(mark)) {
    const inner = mark === 'struck' ? withMark(around, mark) : around;
    wrapRuns(conversion.inside(element, inner), out, (children) => ({ type: mark, children }));
    return true;
  }
  const write = SPECIAL.get(localName) ?? (around.nesting < MAX_NESTING ? NESTED.get(localName) : undefined);
  write?.(conversion, element, around, out);
  return write !== undefined;
}

/** What is written of an element that is left out. */
function convertStandIn(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const box = checkBoxOf(element);
  if (box !== undefined) out.push(box, textNode(' '));
  if (element.localName !== 'noscript') return;
  for (const picture of sparePictures(conversion.document).alone.get(element) ?? [])
    convertImage(conversion, picture, around, out);
}

function convert(conversion: Conversion, node: TreeNode, around: Around, out: Item[]): void {
  if (isText(node)) {
    if (node.data !== '' && !conversion.choice.without.has(node))
      out.push(textNode(node.data.replaceAll(/[ \t\n\f\r]+/g, ' ')));
    return;
  }
  if (!isElement(node)) return;
  if (isLeftOut(conversion.choice, node)) {
    if (!conversion.choice.without.has(node)) convertStandIn(conversion, node, around, out);
    return;
  }
  const isTerm = node.localName === 'dt' || node.localName === 'summary';
  if (isTerm && !around.marks.has('strong')) {
    out.push(BOUNDARY);
    wrapRuns(conversion.inside(node, withMark(around, 'strong')), out, (children) => ({
      type: 'strong',
      children,
    }));
    out.push(BOUNDARY);
    return;
  }
  if (convertSpecial(conversion, node, around, out)) return;
  const isBlock = linesAround(node) > 0;
  if (isBlock) out.push(node.localName === 'p' ? PARAGRAPH : BOUNDARY);
  else if (node.localName === 'button') out.push(textNode(' '));
  convertInside(conversion, node, around, out);
  if (isBlock) out.push(BOUNDARY);
  else if (WITHIN_LINES.has(node.localName)) out.push(textNode(' '));
}

/** The depth of a page is bounded, so this may recurse. All levels write to one list. */
function convertInside(conversion: Conversion, parent: TreeParent, around: Around, out: Item[]): void {
  for (let node = parent.first; node !== null; node = node.next) convert(conversion, node, around, out);
}

const OUTSIDE: Around = { nesting: 0, marks: new Set() };

/** Converts elements to Markdown blocks: headings, lists, tables, code, quotes, images and absolute links. */
export function toBlocks(
  document: PageDocument,
  elements: readonly TreeElement[],
  base: string | undefined,
  choice: Choice,
): Block[] {
  const conversion: Conversion = {
    document,
    base,
    choice,
    write: (node, around, written) => convert(conversion, node, around, written),
    inside: (parent, around) => {
      const written: Item[] = [];
      convertInside(conversion, parent, around, written);
      return written;
    },
  };
  const out: Item[] = [];
  for (const element of elements) {
    // A hidden element that is converted directly is treated as visible.
    if (isUnseen(element)) convertInside(conversion, element, OUTSIDE, out);
    else convert(conversion, element, OUTSIDE, out);
    out.push(BOUNDARY);
  }
  return toFlow(out);
}
