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
  readTextOf,
  resolveUrl,
  textOf,
} from '@gleaner/html';
import { cellGrid, childrenNamed, rowsOf } from '../values/table-grid.ts';
import { type Choice, LEFT_OUT, WITHIN_LINES } from './choice.ts';
import { holdsPicture, pictureAddressOf, sparePictures } from '../pictures/picture.ts';
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

/** Levels of nested lists, quotes and tables. Deeper ones are written without their structure. */
const MAX_NESTING = 12;

interface Conversion {
  readonly document: PageDocument;
  /** The base of relative addresses. */
  readonly base: string | undefined;
  readonly choice: Choice;
}

interface Around {
  readonly nesting: number;
  /** Of the node: a link, or a term of a list, holds no other. */
  readonly marks: ReadonlySet<string>;
}

const MARKS = new Map<string, 'strong' | 'emphasis'>([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['i', 'emphasis'],
  ['em', 'emphasis'],
  ['cite', 'emphasis'],
]);

function withMark({ nesting, marks }: Around, mark: string): Around {
  return { nesting, marks: new Set([...marks, mark]) };
}

function deeper({ nesting, marks }: Around): Around {
  return { nesting: nesting + 1, marks };
}

function textNode(value: string): Phrasing {
  return { type: 'text', value };
}

function inside(conversion: Conversion, parent: TreeParent, around: Around): Item[] {
  const out: Item[] = [];
  convertInside(conversion, parent, around, out);
  return out;
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

function lineIn(element: TreeElement, attribute: string): string {
  return (attributeOf(element, attribute) ?? '').replaceAll(/\s+/g, ' ').trim();
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
  wrapRuns(inside(conversion, element, withMark(around, 'link')), out, (children) => ({
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

/** The language from a class `language-js` or `lang-js` on the block or its code, as highlighters write it. */
function codeLanguage(element: TreeElement): string {
  const inner = isElement(element.first) ? attributeOf(element.first, 'class') : '';
  const [, language] =
    /(?:^|\s)lang(?:uage)?-([^\s`]+)/.exec(`${attributeOf(element, 'class') ?? ''} ${inner ?? ''}`) ?? [];
  return language ?? '';
}

function convertCode({ document }: Conversion, element: TreeElement, _around: Around, out: Item[]): void {
  const value = document.elements
    .slice(element.order + 1, element.lastOrder + 1)
    .some(({ localName }) => localName === 'br')
    ? readTextOf(document, element)
    : textOf(document, element).replace(/\n$/, '');
  const isCode = isElement(element.first) && element.first.localName === 'code';
  if (isCode || value.trim() !== '') out.push({ type: 'code', language: codeLanguage(element), value });
}

function convertInlineCode(
  { document }: Conversion,
  element: TreeElement,
  _around: Around,
  out: Item[],
): void {
  const value = textOf(document, element).replaceAll(/\s+/g, ' ');
  if (value.trim() !== '') out.push({ type: 'inlineCode', value });
}

function convertList(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const items: Block[][] = [];
  for (let node = element.first; node !== null; node = node.next) {
    if (!isElement(node) || isLeftOut(conversion, node)) continue;
    const written: Item[] = [];
    const convertAny = node.localName === 'li' ? convertInside : convert;
    convertAny(conversion, node, deeper(around), written);
    const children = toFlow(written);
    if (children.length === 0 && node.first !== null) continue;
    // List content outside any item belongs to the item before it.
    const last = items.at(-1);
    if (node.localName !== 'li' && last !== undefined) last.push(...children);
    else items.push(children);
  }
  if (items.every((blocks) => blocks.length === 0)) return;
  const start = Number.parseInt(attributeOf(element, 'start') ?? '1', 10);
  const first = start >= 0 && start < 1e9 ? start : 1;
  out.push({ type: 'list', start: element.localName === 'ol' ? first : undefined, items });
}

/** Whether the table is used for page layout instead of data. */
function isLayout(element: TreeElement, cells: readonly Item[][]): boolean {
  const role = attributeOf(element, 'role');
  if (role === 'presentation' || role === 'none') return true;
  return cells.some((items) => {
    const blocks = toFlow(items);
    return blocks.length > 3 || blocks.some(({ type }) => type !== 'paragraph');
  });
}

function convertTable(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const grid = cellGrid(rowsOf(element));
  const width = grid?.reduce((most, line) => Math.max(most, line.length), 0) ?? 0;
  const cells = new Map<TreeElement, Item[]>();
  for (const cell of grid?.flat() ?? []) {
    if (cell !== undefined && !cells.has(cell)) cells.set(cell, inside(conversion, cell, deeper(around)));
  }
  if (grid === undefined || width < 2 || isLayout(element, [...cells.values()])) {
    for (const items of cells.values()) out.push(BOUNDARY, ...items, BOUNDARY);
    return;
  }
  const [caption] = childrenNamed(element, ['caption']);
  if (caption !== undefined) out.push(BOUNDARY, ...inside(conversion, caption, around), BOUNDARY);
  const rows = grid.map((line) =>
    Array.from({ length: width }, (_, x) => {
      const cell = line[x];
      const items = cell === undefined ? undefined : cells.get(cell);
      // A cell that spans several columns or rows is written once.
      if (cell !== undefined) cells.delete(cell);
      return items === undefined ? [] : toPhrasing(items);
    }),
  );
  const filled = rows.filter((row) => row.some((cell) => cell.length > 0));
  if (filled.length > 0) out.push({ type: 'table', rows: filled });
}

function isLeftOut({ choice }: Conversion, element: TreeElement): boolean {
  const { without, revealed } = choice;
  if (without.has(element)) return true;
  return (isUnseen(element) || LEFT_OUT.has(element.localName)) && !revealed.has(element);
}

/** A mark that is all that the same mark holds adds nothing to it. */
function isRepeated({ parent, prev, next }: TreeElement, mark: string): boolean {
  return isElement(parent) && MARKS.get(parent.localName) === mark && prev === null && next === null;
}

function convertQuote(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const children = toFlow(inside(conversion, element, deeper(around)));
  if (children.length > 0) out.push({ type: 'blockquote', children });
}

function convertHeading(conversion: Conversion, element: TreeElement, around: Around, out: Item[]): void {
  const children = toPhrasing(inside(conversion, element, around));
  if (children.length > 0) out.push({ type: 'heading', depth: Number(element.localName[1]), children });
}

type Convert = typeof convertLink;

/** How elements become nodes of their own. */
const SPECIAL = new Map<string, Convert>([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, convertHeading] as const),
  ...['code', 'kbd', 'samp', 'tt'].map((name) => [name, convertInlineCode] as const),
  ...['pre', 'listing', 'xmp'].map((name) => [name, convertCode] as const),
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
  if (mark !== undefined && !isRepeated(element, mark)) {
    wrapRuns(inside(conversion, element, around), out, (children) => ({ type: mark, children }));
    return true;
  }
  const write = SPECIAL.get(localName) ?? (around.nesting < MAX_NESTING ? NESTED.get(localName) : undefined);
  write?.(conversion, element, around, out);
  return write !== undefined;
}

function convert(conversion: Conversion, node: TreeNode, around: Around, out: Item[]): void {
  if (isText(node)) {
    if (node.data !== '' && !conversion.choice.without.has(node))
      out.push(textNode(node.data.replaceAll(/[ \t\n\f\r]+/g, ' ')));
    return;
  }
  if (!isElement(node)) return;
  if (isLeftOut(conversion, node)) {
    if (node.localName === 'noscript' && !conversion.choice.without.has(node)) {
      for (const picture of sparePictures(conversion.document).alone.get(node) ?? [])
        convertImage(conversion, picture, around, out);
    }
    return;
  }
  const isTerm = node.localName === 'dt' || node.localName === 'summary';
  if (isTerm && !around.marks.has('strong')) {
    out.push(BOUNDARY);
    wrapRuns(inside(conversion, node, withMark(around, 'strong')), out, (children) => ({
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
  const conversion: Conversion = { document, base, choice };
  const out: Item[] = [];
  for (const element of elements) {
    // A hidden element that is converted directly is treated as visible.
    if (isUnseen(element)) convertInside(conversion, element, OUTSIDE, out);
    else convert(conversion, element, OUTSIDE, out);
    out.push(BOUNDARY);
  }
  return toFlow(out);
}
