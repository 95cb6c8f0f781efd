import { parse } from 'parse5';
import { createTreeAdapter, type TreeMap } from './adapter.ts';
import { createDocument, type PageDocument } from './document.ts';
import type { TreeElement, TreeRoot } from './tree.ts';

/**
 * Parses as a browser with scripts off does, so that <noscript> is read.
 * @throws PageRejected past the limits on depth, nodes and attributes.
 */
export const parseHtml = (text: string): PageDocument => {
  const templates = new Map<TreeElement, TreeRoot>();
  const root = parse<TreeMap>(text, {
    treeAdapter: createTreeAdapter(templates),
    scriptingEnabled: false,
    sourceCodeLocationInfo: false,
  });
  return createDocument(root, templates);
};
