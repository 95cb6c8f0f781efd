import { html } from 'parse5';
import {
  ELEMENT,
  isElement,
  isText,
  TEXT,
  type AnyNode,
  type TreeElement,
  type TreeNode,
  type TreeParent,
  type TreeRoot,
} from './tree.ts';

/** A text of the whole page, with the start and end of each element's text in it. */
export interface TextMap {
  text: string;
  starts: Int32Array;
  ends: Int32Array;
}

/** A parsed page with the indexes that selectors use. The indexes are built on first use. */
export interface PageDocument {
  readonly root: TreeRoot;
  /** All elements in document order, without the content of templates. */
  readonly elements: readonly TreeElement[];
  readonly templates: ReadonlyMap<TreeElement, TreeRoot>;
  /** Class names and ids match without regard to case, as in a browser's quirks mode. */
  readonly quirks: boolean;
  byTag: Map<string, TreeElement[]> | null;
  byClass: Map<string, TreeElement[]> | null;
  byId: Map<string, TreeElement[]> | null;
  /** Of the DOM's `textContent`. */
  textMap: TextMap | null;
  /** Of the text that a reader sees. */
  readMap: TextMap | null;
  /** Results of selector parts for this page, by the compiled part. */
  readonly memo: Map<object, unknown>;
}

/** The next node after `node` and everything inside it, within `top`. */
function nodeAfter(node: TreeNode, top: AnyNode): TreeNode | null {
  let current: TreeNode = node;
  while (current.next === null) {
    const { parent } = current;
    if (parent === null || parent === top || !isElement(parent)) return null;
    current = parent;
  }
  return current.next;
}

/** Numbers the elements in document order and returns them. */
function numberElements(root: TreeRoot): TreeElement[] {
  const elements: TreeElement[] = [];
  let node: TreeNode | null = root.first;
  while (node !== null) {
    if (node.nodeType === ELEMENT) {
      const element = node as TreeElement;
      element.order = elements.length;
      elements.push(element);
      if (element.first !== null) {
        node = element.first;
        continue;
      }
      element.lastOrder = element.order;
    }
    let current: TreeNode = node;
    while (current.next === null) {
      const parent: TreeParent | null = current.parent;
      if (parent === null || !isElement(parent)) return elements;
      parent.lastOrder = elements.length - 1;
      current = parent;
    }
    node = current.next;
  }
  return elements;
}

export function createDocument(root: TreeRoot, templates: ReadonlyMap<TreeElement, TreeRoot>): PageDocument {
  return {
    root,
    elements: numberElements(root),
    templates,
    quirks: root.mode === html.DOCUMENT_MODE.QUIRKS,
    byTag: null,
    byClass: null,
    byId: null,
    textMap: null,
    readMap: null,
    memo: new Map(),
  };
}

function buildTextMap(document: PageDocument): TextMap {
  const count = document.elements.length;
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  const parts: string[] = [];
  let length = 0;
  let node: TreeNode | null = document.root.first;
  while (node !== null) {
    if (node.nodeType === TEXT) {
      const { data } = node as { data: string } & TreeNode;
      parts.push(data);
      length += data.length;
    } else if (isElement(node)) {
      starts[node.order] = length;
      ends[node.order] = length;
      if (node.first !== null) {
        node = node.first;
        continue;
      }
    }
    let current: TreeNode = node;
    while (current.next === null) {
      const parent: TreeParent | null = current.parent;
      if (parent === null || !isElement(parent)) return { text: parts.join(''), starts, ends };
      ends[parent.order] = length;
      current = parent;
    }
    node = current.next;
  }
  return { text: parts.join(''), starts, ends };
}

export function textMapOf(document: PageDocument): TextMap {
  return (document.textMap ??= buildTextMap(document));
}

function textInside(top: TreeParent): string {
  let text = '';
  let node: TreeNode | null = top.first;
  while (node !== null) {
    if (isText(node)) text += node.data;
    node = isElement(node) && node.first !== null ? node.first : nodeAfter(node, top);
  }
  return text;
}

/** The DOM's `textContent`: all text inside, including scripts and styles, excluding templates. */
export function textOf(document: PageDocument, element: TreeElement): string {
  const { first } = element;
  if (first === null) return '';
  if (first === element.last && isText(first)) return first.data;
  // Small elements are walked; the text map pays off for larger ones.
  if (element.lastOrder - element.order < 16 || element.order < 0) return textInside(element);
  const { text, starts, ends } = textMapOf(document);
  return text.slice(starts[element.order], ends[element.order]);
}
