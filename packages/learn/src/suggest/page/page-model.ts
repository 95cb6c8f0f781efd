import { createPageState, type PageState, parsePageTree } from '@gleaner/extractors/parts';
import type { Page } from '@gleaner/extractors';
import { contains } from './dom.ts';
import {
  isElement,
  isText,
  type PageDocument,
  type TreeData,
  type TreeElement,
  type TreeNode,
} from '@gleaner/html';
import { fold, foldXPath } from './text.ts';

/** A text node that is not blank and not inside a script or style. */
export interface TextSpot {
  readonly node: TreeData;
  readonly parent: TreeElement;
  readonly index: number;
  /** The text with its white space as displayed. */
  readonly text: string;
  /** The text after XPath's `normalize-space`. */
  readonly xpathText: string;
}

/** A page with the indexes for suggestions, which are built once. */
export interface PageModel {
  readonly page: Page;
  readonly document: PageDocument;
  /** The row that this model is limited to; null for the whole page. */
  readonly scope: TreeElement | null;
  readonly state: PageState;
  readonly texts: readonly TextSpot[];
  readonly byText: ReadonlyMap<string, readonly TextSpot[]>;
  readonly byXPathText: ReadonlyMap<string, readonly TextSpot[]>;
  /** The text of `<title>`. */
  readonly title: string;
  /** Texts that are examples and therefore values. */
  readonly values: ReadonlySet<string>;
}

const UNSEEN = new Set(['script', 'style', 'template']);

/** XPath condition for texts outside scripts and styles, which the list of texts also leaves out. */
export const SEEN_TEXT = 'normalize-space(.) and not(parent::script or parent::style)';

/** The most texts that are considered. */
const MAX_TEXTS = 60_000;

function collectTexts(document: PageDocument): TextSpot[] {
  const texts: TextSpot[] = [];
  let node: TreeNode | null = document.root.first;
  while (node !== null && texts.length < MAX_TEXTS) {
    if (isText(node)) {
      const { parent } = node;
      if (isElement(parent) && !UNSEEN.has(parent.localName)) {
        const xpathText = foldXPath(node.data);
        if (xpathText !== '') {
          texts.push({ node, parent, index: texts.length, text: fold(node.data), xpathText });
        }
      }
    } else if (isElement(node) && node.first !== null) {
      node = node.first;
      continue;
    }
    let current: TreeNode = node;
    while (current.next === null && isElement(current.parent)) current = current.parent;
    node = current.next;
  }
  return texts;
}

function indexTexts(texts: readonly TextSpot[]): Pick<PageModel, 'byText' | 'byXPathText'> {
  return {
    byText: Map.groupBy(texts, ({ text }) => text),
    byXPathText: Map.groupBy(texts, ({ xpathText }) => xpathText),
  };
}

/** Limits a page to one row, so that texts outside it are not considered. */
export function rowModel(model: PageModel, row: TreeElement): PageModel {
  const texts = model.texts
    .filter(({ parent }) => contains(row, parent))
    .map((spot, index) => ({ ...spot, index }));
  return { ...model, scope: row, texts, ...indexTexts(texts) };
}

/** The considered elements: all of the page, or the row and its descendants. */
export function elementsOf({ document, scope }: PageModel): readonly TreeElement[] {
  return scope === null ? document.elements : document.elements.slice(scope.order, scope.lastOrder + 1);
}

/** @throws PageRejected above the engine's limits on a page. */
export function createPageModel(page: Page, values: ReadonlySet<string> = new Set()): PageModel {
  const document = parsePageTree(page);
  const texts = collectTexts(document);
  return {
    page,
    document,
    scope: null,
    state: createPageState(page, document, [], { explain: false }),
    texts,
    ...indexTexts(texts),
    title: texts.find(({ parent }) => parent.localName === 'title')?.text ?? '',
    values,
  };
}
