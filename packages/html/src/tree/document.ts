import { html } from 'parse5';
import { isElement, isText, type TreeElement, type TreeParent, type TreeRoot } from './tree.ts';

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
  /** The encoding of its bytes, as the Encoding standard names it. Queries of its links are sent in it. */
  readonly encoding: string;
  readonly indexes: Partial<Record<'tag' | 'class' | 'id', Map<string, TreeElement[]>>>;
  /** Built for the DOM's `textContent`. */
  textMap: TextMap | null;
  /** Built for the text that a reader sees. */
  readMap: TextMap | null;
  /** Results of selector parts for this page, by the compiled part. */
  readonly memo: Map<object, unknown>;
}

/** Numbers the elements in document order and returns them. The depth of a page is bounded, so this may recurse. */
function numberElements(root: TreeRoot): TreeElement[] {
  const elements: TreeElement[] = [];
  const visit = (parent: TreeParent): void => {
    for (let node = parent.first; node !== null; node = node.next) {
      if (!isElement(node)) continue;
      node.order = elements.length;
      elements.push(node);
      visit(node);
      node.lastOrder = elements.length - 1;
    }
  };
  visit(root);
  return elements;
}

export function createDocument(
  root: TreeRoot,
  templates: ReadonlyMap<TreeElement, TreeRoot>,
  encoding: string,
): PageDocument {
  return {
    root,
    elements: numberElements(root),
    templates,
    quirks: root.mode === html.DOCUMENT_MODE.QUIRKS,
    encoding,
    indexes: {},
    textMap: null,
    readMap: null,
    memo: new Map(),
  };
}

function buildTextMap({ root, elements }: PageDocument): TextMap {
  const starts = new Int32Array(elements.length);
  const ends = new Int32Array(elements.length);
  const parts: string[] = [];
  let length = 0;
  const visit = (parent: TreeParent): void => {
    for (let node = parent.first; node !== null; node = node.next) {
      if (isText(node)) {
        parts.push(node.data);
        length += node.data.length;
      } else if (isElement(node)) {
        starts[node.order] = length;
        visit(node);
        ends[node.order] = length;
      }
    }
  };
  visit(root);
  return { text: parts.join(''), starts, ends };
}

export function textMapOf(document: PageDocument): TextMap {
  return (document.textMap ??= buildTextMap(document));
}

function textInside(top: TreeParent): string {
  let text = '';
  for (let node = top.first; node !== null; node = node.next) {
    if (isText(node)) text += node.data;
    else if (isElement(node)) text += textInside(node);
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
