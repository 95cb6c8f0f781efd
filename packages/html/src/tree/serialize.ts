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

/** The inner HTML as the HTML standard serialises it. It is iterative, because pages nest thousands deep. */
export function innerHtmlOf(document: PageDocument, top: TreeParent): string {
  const parts: string[] = [];
  // A template's content is a separate tree; this stack holds where to continue after it.
  const resume: { content: TreeParent; element: TreeElement }[] = [];
  let scope: TreeParent = isElement(top) ? (document.templates.get(top) ?? top) : top;
  let node: TreeNode | null = scope.first;
  while (node !== null) {
    if (isElement(node)) {
      parts.push(openTag(node));
      const content: TreeParent = document.templates.get(node) ?? node;
      if (!isVoid(node) && content.first !== null) {
        if (content !== node) {
          resume.push({ content: scope, element: node });
          scope = content;
        }
        node = content.first;
        continue;
      }
      if (!isVoid(node)) parts.push(`</${node.localName}>`);
    } else if (node.nodeType === TEXT || node.nodeType === COMMENT) {
      parts.push(dataOf(node));
    }
    while (node !== null && node.next === null) {
      let parent: TreeParent | null = node.parent;
      if (parent === scope) {
        const outer = resume.pop();
        if (outer === undefined) return parts.join('');
        scope = outer.content;
        parent = outer.element;
      }
      if (!isElement(parent)) return parts.join('');
      parts.push(`</${parent.localName}>`);
      node = parent;
    }
    node = node?.next ?? null;
  }
  return parts.join('');
}

export function outerHtmlOf(document: PageDocument, element: TreeElement): string {
  return isVoid(element)
    ? openTag(element)
    : `${openTag(element)}${innerHtmlOf(document, element)}</${element.localName}>`;
}
