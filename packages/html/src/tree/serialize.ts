import type { PageDocument } from './document.ts';
import {
  COMMENT,
  HTML_NAMESPACE,
  isElement,
  TEXT,
  type TreeAttribute,
  type TreeElement,
  type TreeNode,
  type TreeParent,
} from './tree.ts';

const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** <noscript> is absent: with scripting disabled its content is markup and is escaped. */
const RAW_TEXT = new Set('style script xmp iframe noembed noframes plaintext'.split(' '));

function escapeText(text: string): string {
  return /[&<>\u00a0]/.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('\u00a0', '&nbsp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
    : text;
}

function escapeAttribute(text: string): string {
  return /[&"<>\u00a0]/.test(text) ? escapeText(text).replaceAll('"', '&quot;') : text;
}

function attributeName({ name, prefix }: TreeAttribute): string {
  return prefix === undefined || prefix === '' ? name : `${prefix}:${name}`;
}

function openTag(element: TreeElement): string {
  let tag = `<${element.localName}`;
  for (const attribute of element.attributes) {
    tag += ` ${attributeName(attribute)}="${escapeAttribute(attribute.value)}"`;
  }
  return `${tag}>`;
}

function isVoid(element: TreeElement): boolean {
  return element.namespace === HTML_NAMESPACE && VOID.has(element.localName);
}

function dataOf(node: TreeNode & { data: string }): string {
  if (node.nodeType === COMMENT) return `<!--${node.data}-->`;
  const { parent } = node;
  return isElement(parent) && parent.namespace === HTML_NAMESPACE && RAW_TEXT.has(parent.localName)
    ? node.data
    : escapeText(node.data);
}

/** Where the HTML goes, and which nodes stay out of it. */
interface Writing {
  readonly document: PageDocument;
  readonly parts: string[];
  readonly leavesOut?: ((node: TreeNode) => boolean) | undefined;
}

function writeInside(writing: Writing, top: TreeParent): void {
  const { document, parts, leavesOut } = writing;
  const content = isElement(top) ? (document.templates.get(top) ?? top) : top;
  for (let node = content.first; node !== null; node = node.next) {
    if (leavesOut?.(node) === true) continue;
    if (isElement(node)) writeElement(writing, node);
    else if (node.nodeType === TEXT || node.nodeType === COMMENT) parts.push(dataOf(node));
  }
}

function writeElement(writing: Writing, element: TreeElement): void {
  const { parts } = writing;
  parts.push(openTag(element));
  if (isVoid(element)) return;
  writeInside(writing, element);
  parts.push(`</${element.localName}>`);
}

/** The inner HTML as the HTML standard serialises it. The depth of a page is bounded, so this may recurse. */
export function innerHtmlOf(document: PageDocument, top: TreeParent): string {
  const parts: string[] = [];
  writeInside({ document, parts }, top);
  return parts.join('');
}

/** @param leavesOut whether a node inside is left out, with all that it holds */
export function outerHtmlOf(
  document: PageDocument,
  element: TreeElement,
  leavesOut?: (node: TreeNode) => boolean,
): string {
  const parts: string[] = [];
  writeElement({ document, parts, leavesOut }, element);
  return parts.join('');
}
