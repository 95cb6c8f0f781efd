import { html } from 'parse5';

/**
 * The page tree. Siblings form a linked list, so that every move of the parser (foster parenting, the adoption agency)
 * takes constant time and a leaf needs no array. Nodes are classes for their fixed memory layout: selectors read
 * millions of these fields.
 */
export const ELEMENT = 1;
export const TEXT = 3;
export const COMMENT = 8;
export const DOCUMENT = 9;

export const HTML_NAMESPACE = html.NS.HTML;
/** The namespace of elements that no HTML parser made; their own ones don't count. */
const XML_NAMESPACE = '' as html.NS;

/** An attribute as parse5's tokenizer creates it. The tree keeps the token's array. */
export interface TreeAttribute {
  name: string;
  value: string;
  namespace?: string;
  prefix?: string;
}

export class TreeElement {
  readonly nodeType: number = ELEMENT;
  parent: TreeParent | null = null;
  prev: TreeNode | null = null;
  next: TreeNode | null = null;
  first: TreeNode | null = null;
  last: TreeNode | null = null;
  /** Index among the page's elements in document order; −1 until numbered, and always −1 inside a template. */
  order = -1;
  /** Order of the last element inside this one; its own order when there is none. */
  lastOrder = -1;
  readonly localName: string;
  readonly namespace: html.NS;
  attributes: TreeAttribute[];

  constructor(localName: string, namespace: html.NS, attributes: TreeAttribute[]) {
    this.localName = localName;
    this.namespace = namespace;
    this.attributes = attributes;
  }

  // XPath reads names from the node. Hiding namespaces lets `//svg` find SVG.
  get namespaceURI(): null {
    return null;
  }

  get prefix(): null {
    return null;
  }
}

/** An element of an XML page. Its name in the tree is the local one. */
export class XmlElement extends TreeElement {
  /** With its prefix. */
  readonly qualifiedName: string;

  constructor(name: string, attributes: TreeAttribute[]) {
    super(name.slice(name.indexOf(':') + 1), XML_NAMESPACE, attributes);
    this.qualifiedName = name;
  }
}

/** A text or a comment. */
export class TreeData {
  readonly nodeType: number;
  parent: TreeParent | null = null;
  prev: TreeNode | null = null;
  next: TreeNode | null = null;
  data: string;

  constructor(nodeType: number, data: string) {
    this.nodeType = nodeType;
    this.data = data;
  }
}

/** A document, or the content of a template. */
export class TreeRoot {
  readonly nodeType: number = DOCUMENT;
  readonly parent = null;
  prev: TreeNode | null = null;
  next: TreeNode | null = null;
  first: TreeNode | null = null;
  last: TreeNode | null = null;
  mode: html.DOCUMENT_MODE = html.DOCUMENT_MODE.NO_QUIRKS;
}

export type TreeNode = TreeElement | TreeData;
export type TreeParent = TreeElement | TreeRoot;
export type AnyNode = TreeNode | TreeRoot;

export function isElement(node: AnyNode | null | undefined): node is TreeElement {
  return node != null && node.nodeType === ELEMENT;
}

export function isText(node: AnyNode | null | undefined): node is TreeData {
  return node != null && node.nodeType === TEXT;
}

/**
 * The attribute's value, '' when it has no value, undefined when the element lacks it. Attributes in a namespace are
 * found by their qualified name, as in the DOM: `xlink:href`.
 */
export function attributeOf(element: TreeElement, name: string): string | undefined {
  const { attributes } = element;
  for (let index = 0; index < attributes.length; index += 1) {
    const attribute = attributes[index];
    if (attribute !== undefined && attribute.name === name && !attribute.prefix) return attribute.value;
  }
  if (!name.includes(':')) return undefined;
  return attributes.find((attribute) => attribute.prefix && `${attribute.prefix}:${attribute.name}` === name)
    ?.value;
}

/** The attribute by a case-insensitive name; an exact match takes precedence (`viewBox` of SVG). */
export function attributeInAnyCase(element: TreeElement, name: string): string | undefined {
  const exact = attributeOf(element, name);
  if (exact !== undefined) return exact;
  const lowered = name.toLowerCase();
  return lowered === name ? undefined : attributeOf(element, lowered);
}

export function parentElement(element: TreeElement): TreeElement | null {
  return isElement(element.parent) ? element.parent : null;
}

export function previousElement(element: TreeElement): TreeElement | null {
  let node = element.prev;
  while (node !== null && node.nodeType !== ELEMENT) node = node.prev;
  return isElement(node) ? node : null;
}

export function nextElement(element: TreeElement): TreeElement | null {
  let node = element.next;
  while (node !== null && node.nodeType !== ELEMENT) node = node.next;
  return isElement(node) ? node : null;
}

export function firstChildElement(parent: TreeParent): TreeElement | null {
  let node = parent.first;
  while (node !== null && node.nodeType !== ELEMENT) node = node.next;
  return isElement(node) ? node : null;
}

export function appendNode(parent: TreeParent, node: TreeNode): void {
  const { last } = parent;
  node.parent = parent;
  node.prev = last;
  node.next = null;
  if (last === null) parent.first = node;
  else last.next = node;
  parent.last = node;
}

export function insertNodeBefore(parent: TreeParent, node: TreeNode, reference: TreeNode): void {
  const { prev } = reference;
  node.parent = parent;
  node.prev = prev;
  node.next = reference;
  reference.prev = node;
  if (prev === null) parent.first = node;
  else prev.next = node;
}

export function detachNode(node: TreeNode): void {
  const { parent, prev, next } = node;
  if (parent === null) return;
  if (prev === null) parent.first = next;
  else prev.next = next;
  if (next === null) parent.last = prev;
  else next.prev = prev;
  node.parent = null;
  node.prev = null;
  node.next = null;
}
