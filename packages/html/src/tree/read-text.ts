import { textOf, type PageDocument, type TextMap } from './document.ts';
import { elementsByTag } from './indexes.ts';
import { isPreformatted, isUnseen, linesAround } from './rendering.ts';
import {
  attributeOf,
  isElement,
  isText,
  TEXT,
  XmlElement,
  type TreeElement,
  type TreeParent,
} from './tree.ts';

/** Collects a text. Line ends and spaces wait until more text follows, so the text never ends with white space. */
interface Writer {
  readonly parts: string[];
  length: number;
  /** Line ends before the next text. */
  lines: number;
  /** What separates the next text from the one before on the same line. */
  gap: '' | ' ' | '\t';
  /** True until the element that is read on its own has any text. */
  isEmpty: boolean;
  /** Set when the caller needs positions. */
  readonly map: TextMap | undefined;
  /** Open elements without any text yet; the next text starts them all. */
  readonly unstarted: TreeElement[];
  /** Elements that are left out here and read on their own afterwards. */
  readonly unseen: { element: TreeElement; isPre: boolean }[];
  /** Whether the text's digits are written as raised ones; undefined when no text of this reading is. */
  isRaised: boolean | undefined;
  /** Whether crossed out parts are left out. */
  leavesStruck: boolean;
}

function createWriter(map: TextMap | undefined, isRaised?: boolean, leavesStruck = false): Writer {
  return {
    parts: [],
    length: 0,
    lines: 0,
    gap: '',
    isEmpty: true,
    map,
    unstarted: [],
    unseen: [],
    isRaised,
    leavesStruck,
  };
}

function put(writer: Writer, text: string): void {
  const { parts, map, unstarted } = writer;
  let before = '';
  if (!writer.isEmpty) before = writer.lines > 0 ? '\n'.repeat(writer.lines) : writer.gap;
  if (before !== '') parts.push(before);
  parts.push(writer.isRaised === true ? raiseDigits(text) : text);
  const start = writer.length + before.length;
  writer.length = start + text.length;
  writer.lines = 0;
  writer.gap = '';
  writer.isEmpty = false;
  if (map !== undefined && unstarted.length > 0) {
    for (const element of unstarted) map.starts[element.order] = start;
    unstarted.length = 0;
  }
}

/** Ensures this many line ends here. The line end of a `<br>` right before a block counts. */
function breakLine(writer: Writer, lines: number): void {
  if (writer.lines < lines) writer.lines = lines;
  writer.gap = '';
}

const COLLAPSIBLE = /[\t\n\f\r]| {2}/;
const WHITE_SPACE = /[ \t\n\f\r]+/g;

function isWhiteSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11);
}

function collapse(text: string): string {
  return COLLAPSIBLE.test(text) ? text.replaceAll(WHITE_SPACE, ' ') : text;
}

function writeCollapsed(writer: Writer, data: string): void {
  let from = 0;
  let to = data.length;
  while (from < to && isWhiteSpace(data.charCodeAt(from))) from += 1;
  if (from > 0 && writer.gap === '') writer.gap = ' ';
  if (from === to) return;
  while (isWhiteSpace(data.charCodeAt(to - 1))) to -= 1;
  put(writer, collapse(data.slice(from, to)));
  if (to < data.length) writer.gap = ' ';
}

function writePreformatted(writer: Writer, data: string): void {
  let to = data.length;
  while (to > 0 && data.charCodeAt(to - 1) === 10) to -= 1;
  if (to > 0) put(writer, data.slice(0, to));
  writer.lines += data.length - to;
}

/** The raised digits from 0 to 9. */
export const RAISED_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function raiseDigits(text: string): string {
  return text.replaceAll(/[0-9]/g, (digit) => RAISED_DIGITS[Number(digit)] ?? digit);
}

/** A class of the smaller half of a price: `cents`, `price__fraction`, `priceDecimals`. */
const CENTS =
  /(?:^|[-_\s]|[a-z](?=[A-Z]))(?:cents?|centimes?|céntimos|centavos|decimals?|fraction)(?![a-z])/i;

const SMALLER: ReadonlySet<string> = new Set(['small', 'sub']);

/**
 * Whether the element stands smaller and higher behind a number: cents (`12<sup>99</sup>`,
 * `12<span class="cents">99</span>`) or the mark of a note (`12,99 €<sup>1</sup>`).
 */
function isRaised({ parts }: Writer, element: TreeElement): boolean {
  const { first, localName } = element;
  const text = first !== null && isText(first) ? first.data.trim() : '';
  const isBehind = /\d[.,]?$/.test(parts.at(-1) ?? '');
  if (SMALLER.has(localName)) return isBehind && /^\d\d(?!\d)/.test(text);
  if (localName === 'sup') return isBehind || (/^\d\d?$/.test(text) && parts.some((part) => /\d/.test(part)));
  return isBehind && /^\d\d(?!\d)/.test(text) && CENTS.test(attributeOf(element, 'class') ?? '');
}

const STRUCK: ReadonlySet<string> = new Set(['del', 's', 'strike']);
const LINE_THROUGH = /(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*\bline-through\b/i;

/** Whether the text of the element is crossed out: a price that no longer counts. */
function isStruck(element: TreeElement): boolean {
  return STRUCK.has(element.localName) || LINE_THROUGH.test(attributeOf(element, 'style') ?? '');
}

function isCell({ localName }: TreeElement): boolean {
  return localName === 'td' || localName === 'th';
}

function beginElement(writer: Writer, element: TreeElement, lines: number): void {
  if (lines > 0) breakLine(writer, lines);
  if (writer.map !== undefined && element.order >= 0) writer.unstarted.push(element);
}

function endElement(writer: Writer, element: TreeElement, lines: number): void {
  const { map } = writer;
  if (map !== undefined && element.order >= 0) {
    if (writer.unstarted.at(-1) === element) {
      writer.unstarted.pop();
      map.starts[element.order] = writer.length;
    }
    map.ends[element.order] = writer.length;
  }
  if (lines > 0) breakLine(writer, lines);
  else if (isCell(element)) writer.gap = '\t';
}

/** Writes the content of an element. The depth of a page is bounded, so this may recurse. */
function writeInside(writer: Writer, top: TreeParent, isPre: boolean): void {
  for (let node = top.first; node !== null; node = node.next) {
    if (node.nodeType === TEXT) {
      if (isText(node)) (isPre ? writePreformatted : writeCollapsed)(writer, node.data);
    } else if (isElement(node)) {
      if (node.localName === 'br') writer.lines += 1;
      if (isUnseen(node)) {
        writer.unseen.push({ element: node, isPre: isPre || isPreformatted(node) });
        continue;
      }
      if (writer.leavesStruck && isStruck(node)) {
        if (writer.gap === '') writer.gap = ' ';
        continue;
      }
      const lines = linesAround(node);
      beginElement(writer, node, lines);
      const raises = writer.isRaised === false && isRaised(writer, node);
      if (raises) writer.isRaised = true;
      if (node.first !== null) writeInside(writer, node, isPre || isPreformatted(node));
      if (raises) writer.isRaised = false;
      endElement(writer, node, lines);
    }
  }
}

/** Writes each part of the page once: the visible page, then each hidden element as a separate text. */
function buildReadMap({ root, elements }: PageDocument): TextMap {
  const count = elements.length;
  const map: TextMap = { text: '', starts: new Int32Array(count), ends: new Int32Array(count) };
  const writer = createWriter(map);
  writeInside(writer, root, false);
  for (let part = writer.unseen.pop(); part !== undefined; part = writer.unseen.pop()) {
    const { element, isPre } = part;
    writer.isEmpty = true;
    beginElement(writer, element, 0);
    writeInside(writer, element, isPre);
    endElement(writer, element, 0);
  }
  map.text = writer.parts.join('');
  return map;
}

function readMapOf(document: PageDocument): TextMap {
  return (document.readMap ??= buildReadMap(document));
}

/** Elements with fewer descendants are read by walking them. The map only pays off when a page has larger reads. */
const WALKED = 16;

/** Whether the page has elements that preserve the white space of their descendants. Only a map knows which they are. */
function hasPreformatted(document: PageDocument): boolean {
  return elementsByTag(document, 'pre').length > 0 || elementsByTag(document, 'listing').length > 0;
}

function isWalked(document: PageDocument, element: TreeElement): boolean {
  return (
    document.readMap === null &&
    element.lastOrder - element.order < WALKED &&
    (element.order < 0 || !hasPreformatted(document))
  );
}

/**
 * The text as a reader of the page sees it, like `innerText` without the page's stylesheets: lines end at `<br>` and
 * around blocks, cells of a row are separated by tabs, white space is collapsed except in `<pre>`, and scripts, styles,
 * `<noscript>` and hidden parts are left out. A hidden element that is read directly is treated as visible; scripts and
 * styles give their text unchanged.
 */
export function readTextOf(document: PageDocument, element: TreeElement): string {
  const { first, localName } = element;
  if (first === null) return '';
  if (localName === 'script' || localName === 'style') return textOf(document, element);
  if (first === element.last && isText(first)) {
    const { data } = first;
    if (!COLLAPSIBLE.test(data)) return data.trim() === data ? data : data.replaceAll(/^ | $/g, '');
  }
  if (isWalked(document, element)) {
    const writer = createWriter(undefined);
    writeInside(writer, element, isPreformatted(element));
    return writer.parts.join('');
  }
  const { text, starts, ends } = readMapOf(document);
  return text.slice(starts[element.order], ends[element.order]);
}

function writeNumberText(element: TreeElement, leavesStruck: boolean): string {
  const writer = createWriter(undefined, false, leavesStruck);
  writeInside(writer, element, isPreformatted(element));
  return writer.parts.join('');
}

/** The new text beside crossed out parts where exactly one is marked as that: shops repeat the old price for some readers. */
function insertedIn({ elements }: PageDocument, { order, lastOrder }: TreeElement): TreeElement | undefined {
  const inside = elements.slice(order + 1, lastOrder + 1);
  const [inserted, ...others] = inside.filter(({ localName }) => localName === 'ins');
  return others.length === 0 && inside.some(isStruck) ? inserted : undefined;
}

/**
 * The readable text of an element that holds a number. Digits that stand smaller behind it are raised digits, so that
 * nobody takes them for further digits: `12⁹⁹` for `12<sup>99</sup>`, `19.99¹` for a note. Parts that are crossed out
 * are left out where another number remains.
 */
export function readNumberTextOf(document: PageDocument, element: TreeElement): string {
  // A larger element is a text, and many of them may be read.
  const isSmall = element.lastOrder - element.order < WALKED;
  const isPlain = element.first === element.last && (element.first === null || isText(element.first));
  if (isPlain || !isSmall) return readTextOf(document, element);
  const inserted = insertedIn(document, element);
  for (const top of inserted === undefined ? [element] : [inserted, element]) {
    const left = writeNumberText(top, true);
    if (/\p{N}/u.test(left)) return left;
  }
  return writeNumberText(element, false);
}

/** The readable text of the page's body. */
export function readPageText(document: PageDocument): string {
  const [root] = document.elements;
  if (root instanceof XmlElement) return readTextOf(document, root);
  const body = document.elements.find(({ localName }) => localName === 'body' || localName === 'frameset');
  return body === undefined ? '' : readTextOf(document, body);
}

/** The readable text directly in the element, without the text of child elements. Line ends of children stay. */
export function readOwnTextOf(document: PageDocument, element: TreeElement): string {
  if (element.localName === 'script' || element.localName === 'style') return textOf(document, element);
  const isPre = isPreformatted(element);
  const writer = createWriter(undefined);
  for (let node = element.first; node !== null; node = node.next) {
    if (isText(node)) (isPre ? writePreformatted : writeCollapsed)(writer, node.data);
    if (!isElement(node)) continue;
    if (node.localName === 'br') writer.lines += 1;
    else if (!isUnseen(node)) breakLine(writer, Math.min(linesAround(node), 1));
  }
  return writer.parts.join('');
}
